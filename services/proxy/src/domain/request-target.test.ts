import assert from "node:assert/strict";
import { test } from "node:test";
import { normalisePath } from "@appserver/contracts/patterns";
import { isAppError } from "@appserver/kernel";
import fc from "fast-check";
import { parseTarget } from "./request-target.ts";

const refused = (error: unknown): boolean => isAppError(error, "INVALID_REQUEST");

test("a plain target is unchanged", () => {
  assert.deepEqual(parseTarget("/api/apps/x/a.b/..c/~d?q=../%zz&f[x]={1}", "h"), {
    path: "/api/apps/x/a.b/..c/~d",
    query: "?q=../%zz&f[x]={1}",
  });
});

test("harmless escapes are decoded, others become upper case, and double slashes are kept", () => {
  assert.equal(normalisePath("/%61dmin/%7e%40x/%e2%82%ac//%20%3b%252e"), "/admin/~@x/%E2%82%AC//%20%3B%252e");
});

test("characters that browsers send as they are become escapes, and are the same path as their escapes", () => {
  const raw = '/_next/[slug]/[[...all]]/a|b^c`{d}<e>"f"/%5bx%5D';
  const encoded = "/_next/%5Bslug%5D/%5B%5B...all%5D%5D/a%7Cb%5Ec%60%7Bd%7D%3Ce%3E%22f%22/%5Bx%5D";
  assert.equal(parseTarget(raw, "h").path, encoded);
  assert.equal(parseTarget(encoded, "h").path, encoded);
  assert.equal(parseTarget(encoded.toLowerCase().replace("slug", "%73lug"), "h").path.toLowerCase(), encoded.toLowerCase());
  const long = "[".repeat(5_000);
  assert.equal(normalisePath(`/${long}`), `/${"%5B".repeat(5_000)}`);
});

for (const path of [
  "/a/../b",
  "/[/../]",
  "/[a]/%2e%2e/b",
  "/a|/..;x/b",
  "/{a}%2fb",
  "/[a]%5cb",
  "/[a]\\b",
  "/[a]%00",
  "/[a]%zz",
  "/[a]%c0%af",
  "/[a] b",
  "/a/./b",
  "/..",
  "/.",
  "/a/..",
  "/a/%2e%2e/b",
  "/a/.%2E/b",
  "/a/%2e",
  "/a/..;/b",
  "/a/.;x=1/b",
  "/a%2fb",
  "/a%2Fb",
  "/a%5cb",
  "/a\\b",
  "/a%00",
  "/a%0d%0a",
  "/a%7f",
  "/a%zz",
  "/a%",
  "/a%2",
  "/a b",
  "/a\u0001",
  "/a\u00e9",
  "/a#b",
  "*",
  "",
  "a/b",
  "/%c0%af",
  "/a?b#c",
  "/a?b\\c",
  "/a?b c",
  "/a?\u0000",
]) {
  test(`${JSON.stringify(path)} is refused`, () => assert.throws(() => parseTarget(path, "h"), refused));
}

test("the absolute form is accepted only for this host", () => {
  assert.equal(parseTarget("http://h:8080/a?b", "h:8080").path, "/a");
  assert.equal(parseTarget("HTTP://H", "h").path, "/");
  for (const other of ["http://other/a", "http://h@other/a", "ftp://h/a", "http:/h/a"]) {
    assert.throws(() => parseTarget(other, "h"), refused);
  }
  assert.throws(() => parseTarget("http://h/a", undefined), refused);
});

test("an accepted target is its own normal form and has no dot segments", () => {
  const piece = fc.constantFrom(
    "a",
    "/",
    ".",
    "%2e",
    "%2f",
    "%41",
    "%C3%A9",
    ";",
    "%",
    "..",
    "//",
    "~",
    "%25",
    "\\",
    "%5C",
    "[",
    "|",
    "%5b",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      let path: string;
      try {
        path = normalisePath(`/${pieces.join("")}`);
      } catch (error) {
        return error instanceof RangeError;
      }
      const climbs = decodeURIComponent(path)
        .split("/")
        .some((segment) => segment === "." || segment === "..");
      return normalisePath(path) === path && !climbs;
    }),
    { numRuns: 2_000 },
  );
});
