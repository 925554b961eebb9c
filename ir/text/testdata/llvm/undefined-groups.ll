define void @f() #7 { 
  call void @f() #8
  ret void }
define void @f1() #7 #9 noinline { ret void }
declare void @g() #3
@v = global i32 0 #5
attributes #9 = { nounwind }
