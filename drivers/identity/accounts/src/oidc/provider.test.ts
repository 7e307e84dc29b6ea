import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { personOf } from "./provider.ts";
import { providersType } from "./provider-options.ts";

const guides = resolve(import.meta.dirname, "../../../../../docs/guides");
const base = { sub: "1", aud: "client", iat: 1, exp: 2 };
const ofIssuer = (iss: string, claims: object) => personOf({ ...base, iss, ...claims });

test("an address is proven by the value true, and at Entra by the claim that the tenant owns the domain", () => {
  const entra = "https://login.microsoftonline.com/0/v2.0";
  const email = "ada@example.test";
  const proven = (iss: string, claims: object) => ofIssuer(iss, { email, ...claims }).isEmailProven;
  assert.ok(proven("https://a.test", { email_verified: true }));
  for (const wrong of [undefined, false, "true", "false", 1, {}])
    assert.ok(!proven("https://a.test", { email_verified: wrong }));
  assert.ok(proven(entra, { xms_edov: true }));
  for (const wrong of [undefined, false, "false", 0]) assert.ok(!proven(entra, { xms_edov: wrong }));
  assert.ok(!proven("https://a.test", { xms_edov: true }), "other providers write what they want there");
  assert.ok(!ofIssuer(entra, { xms_edov: true }).isEmailProven);
});

test("the name is one that others can read", () => {
  const name = (claims: object) => ofIssuer("https://a.test", claims).name;
  assert.equal(name({ name: "Ada", preferred_username: "ada" }), "Ada");
  assert.equal(name({ name: "", preferred_username: "ada" }), "ada");
  assert.equal(name({ email: "a@b.test" }), "a@b.test");
  assert.equal(name({ name: ["Ada"] }), undefined);
  assert.equal(name({ name: "A\r\nB" }), "A  B");
  assert.equal(name({ name: "x".repeat(300) })?.length, 100);
});

test("each guide has a configuration that is accepted", () => {
  const pages = readdirSync(guides).filter((page) => page.startsWith("sign-in-with-"));
  assert.equal(pages.length, 4);
  for (const page of pages) {
    const [, yaml = ""] = /```yaml\n([\s\S]*?)```/.exec(readFileSync(join(guides, page), "utf8")) ?? [];
    const { accounts } = parse(yaml) as { readonly accounts: { readonly providers: readonly { readonly id: string }[] } };
    const reading = providersType.read(JSON.stringify(accounts.providers), () => Buffer.from("secret\n"));
    assert.ok("value" in reading, `${page}: ${"expected" in reading && reading.expected}`);
    assert.equal(reading.value[0]?.clientSecret, "secret");
    assert.ok(readFileSync(join(guides, page), "utf8").includes(`/callback/${accounts.providers[0]?.id}`), page);
  }
});

test("a wrong provider is said with what was expected, and without its secret", () => {
  const right = { id: "a", issuer: "https://a.test", client_id: "c", client_secret: "very secret" };
  const problem = (change: object): string => {
    const reading = providersType.read(JSON.stringify([{ ...right, ...change }]), () => Buffer.from("s"));
    return "expected" in reading ? reading.expected : "";
  };
  assert.equal(problem({}), "");
  assert.match(problem({ id: "A/b" }), /^id of the form .* \(item 1\)$/);
  assert.match(problem({ issuer: "http://a.test" }), /^issuer of the form/);
  assert.match(problem({ issuer: "https://accounts.google.com" }), /^allowed_domains, because everyone/);
  assert.match(problem({ link_by_email: "verified" }), /^allowed_domains with link_by_email/);
  assert.match(problem({ client_secret_file: "/x" }), /^either client_secret or client_secret_file/);
  assert.match(problem({ scope: "openid" }), /^none other than .*, got scope/);
  assert.equal(providersType.hidePassword?.(JSON.stringify([right])).includes("very secret"), false);
  assert.match("expected" in providersType.read("{", () => Buffer.alloc(0)) ? "refused" : "", /refused/);
});
