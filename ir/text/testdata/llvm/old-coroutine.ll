define void @f(ptr %h, i1 %u) presplitcoroutine personality ptr null {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %b = call ptr @llvm.coro.begin(token %id, ptr null)
  call i1 @llvm.coro.end(ptr %b, i1 false)
  ret void
}
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i1 @llvm.coro.end(ptr, i1)
