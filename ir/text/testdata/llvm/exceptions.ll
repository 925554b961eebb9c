@type = external constant ptr

define i32 @itanium() personality ptr @pers {
entry:
  %r = invoke i32 @may_throw(i32 1)
          to label %ok unwind label %lpad
ok:
  invoke void @void()
          to label %ok2 unwind label %lpad2
ok2:
  ret i32 %r
lpad:
  %lp = landingpad { ptr, i32 }
          cleanup
          catch ptr @type
          catch ptr null
          filter [1 x ptr] [ptr @type]
  %sel = extractvalue { ptr, i32 } %lp, 1
  resume { ptr, i32 } %lp
lpad2:
  %lp2 = landingpad { ptr, i32 }
          catch ptr @type
  unreachable
}

define void @funclet() personality ptr @__CxxFrameHandler3 {
entry:
  invoke void @void()
          to label %exit unwind label %cs
cs:
  %cs1 = catchswitch within none [label %handler, label %handler2] unwind label %cleanup
handler:
  %cp = catchpad within %cs1 [ptr null, i32 64, ptr null]
  catchret from %cp to label %exit
handler2:
  %cp2 = catchpad within %cs1 [ptr @type, i32 8, ptr null]
  invoke void @void() [ "funclet"(token %cp2) ]
          to label %unreach unwind label %inner
unreach:
  unreachable
inner:
  %cs2 = catchswitch within %cp2 [label %handler3] unwind label %cleanup
handler3:
  %cp3 = catchpad within %cs2 []
  catchret from %cp3 to label %ret2
ret2:
  catchret from %cp2 to label %exit
cleanup:
  %cl = cleanuppad within none []
  cleanupret from %cl unwind to caller
exit:
  ret void
}

define i32 @asmgoto(i32 %x) {
entry:
  %r = callbr i32 asm sideeffect "# $0 $1", "=r,r,!i,!i"(i32 %x)
          to label %normal [label %a, label %b]
normal:
  ret i32 %r
a:
  ret i32 1
b:
  ret i32 2
}

declare i32 @may_throw(i32)
declare void @void()
declare i32 @pers(...)
declare i32 @__CxxFrameHandler3(...)
