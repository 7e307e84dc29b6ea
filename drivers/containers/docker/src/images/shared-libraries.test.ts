import assert from "node:assert/strict";
import { test } from "node:test";
import { linkedLibraries } from "./shared-libraries.ts";

test("the loader and the libraries with a file are linked, of one program and of several", () => {
  const program = `
	linux-vdso.so.1 (0x00007f0e8750f000)
	libpython3.11.so.1.0 => /opt/python/lib/libpython3.11.so.1.0 (0x00007f0e86e00000)
	libtk8.6.so => not found
	/lib64/ld-linux-x86-64.so.2 (0x00007f0e87511000)
`;
  const modules = `/opt/python/lib/_bz2.so:
	libbz2.so.1.0 => /opt/python/lib/../lib/libbz2.so.1.0 (0x00007f2e5a3b0000)
/opt/python/lib/_ast.so:
	statically linked
`;
  const loader = "/lib64/ld-linux-x86-64.so.2";
  assert.deepEqual(linkedLibraries(program), [
    { name: "libpython3.11.so.1.0", path: "/opt/python/lib/libpython3.11.so.1.0" },
    { name: loader, path: loader },
  ]);
  assert.deepEqual(linkedLibraries(modules), [{ name: "libbz2.so.1.0", path: "/opt/python/lib/../lib/libbz2.so.1.0" }]);
});
