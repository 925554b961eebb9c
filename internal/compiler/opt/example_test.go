package opt_test

import (
	"fmt"
	"log"

	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/ir/text"
)

func ExampleParsePipeline() {
	p, err := opt.ParsePipeline(opt.Passes, "function(sroa,simplifycfg<bonus-inst-threshold=1;sink-common-insts>),globaldce")
	fmt.Println(p, err)
	_, err = opt.ParsePipeline(opt.Passes, "mem2reg,globlaldce")
	fmt.Println(err)
	// Output:
	// function(sroa,simplifycfg<sink-common-insts>),globaldce <nil>
	// --passes:1:9: error: unknown pass 'globlaldce', did you mean 'globaldce'?
}

func ExamplePipeline_Run() {
	m, errs := text.Parse("max.ll", []byte(`
define i32 @max(i32 %a, i32 %b) {
entry:
  %m = alloca i32
  store i32 %b, ptr %m
  %c = icmp sgt i32 %a, %b
  br i1 %c, label %then, label %end
then:
  store i32 %a, ptr %m
  br label %end
end:
  %r = load i32, ptr %m
  ret i32 %r
}`))
	if errs.HasErrors() {
		log.Fatal(errs)
	}
	p, err := opt.ParsePipeline(opt.Passes, "mem2reg,simplifycfg")
	if err != nil {
		log.Fatal(err)
	}
	if err := p.Run(&opt.Context{}, m); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s", text.PrintFunction(m.Function("max")))
	// Output:
	// define i32 @max(i32 %a, i32 %b) {
	// entry:
	//   %c = icmp sgt i32 %a, %b
	//   %spec.select = select i1 %c, i32 %a, i32 %b
	//   ret i32 %spec.select
	// }
}
