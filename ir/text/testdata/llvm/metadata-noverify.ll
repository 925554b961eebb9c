@g = global i32 0
define void @f(i32 %a) {
  call void @other(metadata i32 %a, metadata i32 5, metadata !0, metadata !"s", metadata ptr @g, metadata !DIArgList(i32 %a, i32 5), metadata !DIExpression(DW_OP_deref))
  ret void
}
declare void @other(metadata, metadata, metadata, metadata, metadata, metadata, metadata)
!n = !{!0, !1, !2, !3}
!0 = !{}
!1 = !DIExpression(1, 2, 3)
!2 = !DICompositeType(tag: DW_TAG_structure_type, discriminator: !0)
!3 = !DIDerivedType(tag: 65535, baseType: !0, flags: 2147483648)
