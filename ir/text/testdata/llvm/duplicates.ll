; equal metadata nodes are merged, even if they precede their operands
define void @f() !a !0 !b !1 {
  ret void, !c !4, !d !5
}
!x = !{!0, !1, !2, !3, !6, !7}
!0 = !{!2}
!1 = !{!3}
!2 = !{!"s", i32 1}
!3 = !{!"s", i32 1}
!4 = !{!0, !{!"s", i32 1}}
!5 = !{!1, !2}
!6 = distinct !{!"s", i32 1}
!7 = distinct !{!7, !3}
