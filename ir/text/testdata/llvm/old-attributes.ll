target triple = "amdgcn-amd-amdhsa"
@v = global i32 0 #0
@w = global i32 0 "no-frame-pointer-elim"="true"
define void @a(ptr %p, ptr %q, i64 %n) "no-frame-pointer-elim"="true" "no-frame-pointer-elim-non-leaf" {
  call void @g() "no-frame-pointer-elim"="true"
  call void @g() #0
  call void @g() "null-pointer-is-valid"="true"
  ret void
}
define void @b() "null-pointer-is-valid"="true" { ret void }
define void @f() #0 { ret void }
define void @f2() #0 nounwind "null-pointer-is-valid"="false" { ret void }
define void @f3() "uniform-work-group-size"="true" { ret void }
define void @f4() "uniform-work-group-size"="false" { ret void }
define void @f5() #1 { ret void }
define "no-frame-pointer-elim"="true" i32 @f6(i32 %x) { ret i32 0 }
declare void @g() "no-frame-pointer-elim"="true"
attributes #0 = { "no-frame-pointer-elim"="true" "null-pointer-is-valid"="true" "no-frame-pointer-elim-non-leaf"="false" "frame-pointer"="none" }
attributes #1 = { "uniform-work-group-size"="false" }
