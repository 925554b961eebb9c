llvm.func @f(%i: i32, %p: !llvm.ptr, %m: vector<4xi1>, %v: vector<4xf32>, %ps: vector<4x!llvm.ptr>) {
 %0 = rocdl.workgroup.dim.x : i64
 %1 = rocdl.grid.dim.y : i32
 %2 = rocdl.workitem.id.x range <i32, 0, 64> : i32
 %3 = rocdl.workgroup.dim.x range <i32, 1, 64> : i32
 rocdl.barrier
 %4 = llvm.intr.masked.load %p, %m, %v {alignment = 8 : i32, nontemporal} : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
 %5 = llvm.intr.masked.load %p, %m {alignment = 8 : i32} : (!llvm.ptr, vector<4xi1>) -> vector<4xf32>
 llvm.intr.masked.store %v, %p, %m {alignment = 8 : i32} : vector<4xf32>, vector<4xi1> into !llvm.ptr
 %6 = llvm.intr.masked.gather %ps, %m {alignment = 8 : i32} : (vector<4x!llvm.ptr>, vector<4xi1>) -> vector<4xf32>
 llvm.intr.masked.scatter %v, %ps, %m {alignment = 8 : i32} : vector<4xf32>, vector<4xi1> into vector<4x!llvm.ptr>
 llvm.return
}
