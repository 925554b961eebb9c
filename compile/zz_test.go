package compile
import ("testing";"os";"strconv";"context"
"github.com/gfx-toolchain/gfx/internal/irrandom"
"github.com/gfx-toolchain/gfx/ir/text"
)
func TestZZ(t *testing.T){
  for _, sd := range []int{24,77,116,121,148,186,203,209} {
  seed := uint64(sd)
  if x,err:=strconv.Atoi(os.Getenv("ZZ")); err==nil { seed=uint64(x) }
  m := irrandom.Module(irrandom.Options{Seed: seed, Profile: irrandom.AMDGPU, Funcs: 2, Size: 20 + int(seed%7)*20, Features: irrandom.Feature(0x1fff-1)})
  src := text.Print(m)
  cpus := []string{"gfx900","gfx1030","gfx90a","gfx1100","gfx803","gfx1010","gfx942"}
  i := int(seed-1)
  m, _ = text.Parse("x", src)
  want := irrandom.Run(m)
  o := Options{CPU: cpus[i%7], Level: i/7%3, Workers:1}
  m, _ = text.Parse("x", src)
  tt, err := targetOf(m, &o); if err!=nil {t.Fatal(err)}
  s := &session{ctx: context.Background(), m:m, o:&o, t:tt, printer:&printer{}}
  if err := s.prepare(); err != nil { t.Fatal(err) }
  t.Log(seed, irrandom.Check(want, m))
  }
}
