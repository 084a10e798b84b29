source_filename = "instructions.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%struct.S = type { i32, [4 x i8], ptr }
%struct.P = type <{ i8, i32 }>
%struct.O = type opaque
%"struct.odd name" = type { i32 }

@.str = private unnamed_addr constant [11 x i8] c"a, !b\22(\\\0A\80\00", align 1, !dbg !1
@table = internal global [2 x ptr] [ptr @.str, ptr getelementptr inbounds (%struct.S, ptr @s, i64 0, i32 2)], align 16
@s = dso_local global %struct.S { i32 -1, [4 x i8] zeroinitializer, ptr null }, align 8, !dbg !2
@packed = global %struct.P <{ i8 1, i32 2 }>, align 1
@tls = internal thread_local(initialexec) global i32 4, align 4
@ext = external global %struct.O
@numbers = constant { float, double, float, half, x86_fp80, fp128 } { float 2.000000e+00, double 0x7FF8000000000000, float 0x3FB99999A0000000, half 0xH3E00, x86_fp80 0xK4000C8F5C28F5C28F5C3, fp128 0xL00000000000000003FFF400000000000 }
@splat = global <4 x i32> splat (i32 7), section "a, align 3", align 16
@address = global i64 add (i64 ptrtoint (ptr @s to i64), i64 8)
@labels = global [1 x ptr] [ptr blockaddress(@jump, %2)]
@"odd name" = alias i32, ptr @tls

define i32 @arithmetic(i32 noundef %0, i8 signext range(i8 0, 5) %b, float %x) #0 !dbg !3 {
  %2 = add nuw nsw i32 %0, -1, !dbg !7
  %3 = sdiv exact i32 %2, %0
  %4 = or disjoint i32 %3, 4
  %5 = fmul fast float %x, 5.000000e-01
  %6 = fneg nnan float %5
  %7 = icmp samesign ult i32 %4, 10
  %8 = fcmp une float %6, 0x7FF0000000000000
  %9 = zext nneg i8 %b to i32
  %10 = trunc nuw nsw i32 %9 to i1
  %11 = select i1 %7, i32 %9, i32 undef
  %12 = freeze i32 %11
  %13 = icmp eq ptr null, @s
  ret i32 %12
}

define internal ptr @memory(ptr %0, i64 %1) {
  %3 = alloca %struct.S, align 8
  %4 = alloca i8, i64 %1, align 16
  %5 = load i32, ptr %0, align 4, !dbg !7, !tbaa !9
  %6 = load atomic volatile i32, ptr %0 syncscope("singlethread") seq_cst, align 4
  store volatile i32 poison, ptr %0, align 4
  store atomic i32 3, ptr %0 release, align 4
  %7 = getelementptr inbounds nuw %struct.S, ptr %0, i32 0, i32 1, i64 %1
  %8 = cmpxchg weak volatile ptr %0, i32 %5, i32 3 seq_cst monotonic, align 4
  %9 = extractvalue { i32, i1 } %8, 1
  %10 = insertvalue { i32, i1 } %8, i32 4, 0
  %11 = atomicrmw nand ptr %0, i32 7 acq_rel, align 4
  fence syncscope("singlethread") seq_cst
  %12 = va_arg ptr %0, double
    #dbg_declare(ptr %3, !5, !DIExpression(), !7)
    #dbg_value(i64 %1, !5, !DIExpression(DW_OP_plus_uconst, 8), !7)
    #dbg_label(!6, !7)
  ret ptr %7
}

define <4 x i32> @vectors(<4 x i32> %v, i32 %i) {
entry:
  %c = insertelement <4 x i32> %v, i32 4, i32 %i
  %e = extractelement <4 x i32> %c, i64 2
  %s = shufflevector <4 x i32> %c, <4 x i32> poison, <4 x i32> <i32 0, i32 poison, i32 5, i32 3>
  %z = shufflevector <4 x i32> %c, <4 x i32> poison, <4 x i32> zeroinitializer
  %a = add <4 x i32> %s, splat (i32 3)
  ret <4 x i32> %a
}

define void @calls(ptr %f, ptr byval(%struct.S) align 8 %"a b") #0 {
  %1 = tail call fastcc noalias ptr @malloc(i64 noundef 10) #1, !dbg !7
  %2 = call i32 (ptr, ...) @printf(ptr noundef @.str, double 1.000000e+00) #1
  %3 = call i32 %f(ptr noundef nonnull align 8 dereferenceable(16) %"a b")
  call void @take(ptr sret(%struct.S) align 8 %1, ptr noundef byval(%struct.S) align 8 %"a b")
  %4 = call i32 asm sideeffect "mov $1, $0 # (\22, !x\22)", "=r,r,~{memory}"(i32 %2) #2, !srcloc !10
  %5 = call i32 inttoptr (i64 4660 to ptr)(i32 3)
  call void @llvm.assume(i1 true) [ "align"(ptr %1, i64 64), "nonnull"(ptr %1) ]
  call void @"odd fn"(metadata !"x, !y", metadata i32 3)
  unreachable, !dbg !7
}

define i32 @jump(i32 %0) {
  switch i32 %0, label %2 [
    i32 1, label %3
    i32 -2, label %2
  ], !dbg !7

2:                                                ; preds = %0, %3
  %p = phi i32 [ 5, %1 ], [ 6, %1 ], [ %0, %3 ]
  br i1 true, label %3, label %"odd label"

3:                                                ; preds = %2
  indirectbr ptr blockaddress(@jump, %2), [label %2, label %"odd label"]

"odd label":                                      ; No predecessors!
  ret i32 %p
}

define available_externally void @strange(ptr %p) personality ptr @calls {
  %r = frobnicate i32 %p, 3, !dbg !7
  %q = add i32 %r, 3 leftover
  callbr void asm sideeffect "jmp ${1:l}, !x", "r,!i"(i32 4) #2
          to label %out [label %out], !dbg !7

out:
  %i = invoke i32 @jump(i32 0)
          to label %out unwind label %out
}

declare !dbg !4 noalias noundef ptr @malloc(i64 noundef, ptr captures(none)) #1
declare i32 @printf(ptr, ...)

attributes #0 = { nounwind memory(argmem: read, inaccessiblemem: none) "frame-pointer"="all" "target-cpu"="x" }
attributes #1 = { noreturn allocsize(0) "alloc-family"="malloc" }

!llvm.module.flags = !{}

!1 = !DIFile(filename: "instructions.c", directory: "/src")
