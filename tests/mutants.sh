#!/usr/bin/env bash
# Plants the twelve classic bugs of FlashDecoding, one at a time, in a copy of the tree, and shows that the tests fail on
# each. Not part of ./lab test. With ccache only what a bug touches is compiled again. Exit 0: all were caught.
#   tests/mutants.sh [NAME ...]    only these
set -euo pipefail
cd "$(dirname "$0")/.."
work=build/mutants
mkdir -p "$work"

# name | file | what stands there (a basic regular expression) | what the bug makes of it
bugs() {
  cat <<'END'
no-rescale|core/math/online.h|return {m, exp_below<Exp>(m_before, m)};|return {m, T(1)};
wrong-weight|core/math/merge.h|select(none, T(0), l_a / l), select(none, T(0), l_b / l)|select(none, T(0), l_b / l), select(none, T(0), l_a / l)
guard-removed|core/math/merge.h|return select(is_minus_infinity(x), T(0), Exp::exp(x - reference));|return Exp::exp(x - reference);
tail-dropped|core/plan/plan.h|return (kv_len + tile_size - 1) / tile_size;|return kv_len / tile_size;
tail-counted|cpu/kernel.cpp|std::fill(place(row.visible.end), scores + kBlockKeys, kMinusInfinity);|std::fill(place(row.visible.end), scores + block.size(), kMinusInfinity);
head-map-modulo|core/problem/problem.h|return q_head / (q_heads / kv_heads);|return q_head % kv_heads;
scale-twice|cpu/kernel.cpp|static_cast<float>(p_.scale \* p_.k_scale)|static_cast<float>(p_.scale * p_.scale * p_.k_scale)
base-mixed|core/math/merge.h|a.m + Exp::log(a.l)|a.m + Base2::log(a.l)
last-leaf-dropped|cpu/merge_streams.h|std::min(plan.num_streams, plan.num_tiles())|std::min(plan.num_streams, plan.num_tiles()) - 1
window-off-by-one|core/problem/problem.cpp|position + 1 - rules.window|position - rules.window
plain-mean|core/math/merge.h|const T weight_low = e \* weight_high;|const T weight_low = T(0.5);
lse-without-max|core/math/flat.h|S_max + Exp::log(Z)|Exp::log(Z)
END
}

copy_tree() {
  rm -rf "$work/src" && mkdir "$work/src"
  git ls-files -z | tar --null --files-from=- --create --file=- | tar --extract --touch --directory="$work/src" --file=-
}
# Says "passed", "does not build", "does not end", or which test failed first.
build_and_test() {
  cmake --build "$work/build" --target fdlab_law_tests >"$work/build.log" 2>&1 || { echo "does not build"; return 0; }
  local code=0
  timeout 600 "$work/build/bin/fdlab_law_tests" --abort-after=1 >"$work/test.log" 2>&1 || code=$?
  case $code in
    0) echo "passed" ;;
    124) echo "does not end" ;;
    *) echo "\"$(sed -n 's/^TEST CASE:  *//p' "$work/test.log" | head -n 1)\"" ;;
  esac
}

copy_tree
launcher=$(command -v ccache) || launcher=""
cmake -S "$work/src" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS_RELEASE=-O1" \
  -DFDLAB_CUDA=OFF -DFDLAB_WINDOW=OFF "-DCMAKE_CXX_COMPILER_LAUNCHER=$launcher" >/dev/null
sound=$(build_and_test)
if [ "$sound" != passed ]; then
  echo "mutants: expected the tests to pass before a bug is planted, found: $sound" >&2
  exit 1
fi

planted=0 missed=0
while IFS='|' read -r name file right wrong; do
  [ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
  sed -i "s|$right|${wrong//&/\\&}|" "$work/src/$file"
  if cmp -s "$file" "$work/src/$file"; then
    echo "mutants: $name: expected \"$right\" in $file, found none" >&2
    exit 1
  fi
  planted=$((planted + 1))
  found=$(build_and_test)
  cp "$file" "$work/src/$file"
  case "$found" in
    passed | "does not build" | "does not end")
      echo "$name: NOT CAUGHT ($found)"
      missed=$((missed + 1))
      ;;
    *) echo "$name: caught by $found" ;;
  esac
done < <(bugs)
echo "$((planted - missed)) of $planted caught"
[ "$missed" -eq 0 ]
