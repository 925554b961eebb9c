!0 = !{!0}
!1 = !{!2, !1, !0}
!2 = !{!1}
!5 = distinct !{!5}
!6 = !{!6, !{!6}}
!x = !{!0, !1, !2, !5, !6}
define void @loop() {
  br label %a
a:
  br label %a, !llvm.loop !3
}
!3 = !{!3, !4}
!4 = !{!"llvm.loop.mustprogress"}
