#!/bin/sh
# Runs every fuzz target over its corpus. From `make check`: FUZZ_TARGETS names the programs, srcdir is the source tree.
result=0
for target in ${FUZZ_TARGETS:?}; do
	if ! output=$("./$target" "${srcdir:?}/tests/fuzz/corpus/${target#fuzz_}" 2>&1); then
		result=1
		echo "FAIL $target"
	fi
	echo "$target: $output"
done
exit $result
