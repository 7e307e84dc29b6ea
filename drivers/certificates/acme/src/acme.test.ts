import assert from "node:assert/strict";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, describe, it } from "node:test";
import { silentLogger } from "@appserver/kernel";
import { CertificateFolder } from "./certificate-folder.ts";
import { ChallengeServer } from "./challenge-server.ts";
import { selfSigned } from "./self-signed.ts";

const host = "apps.example.com";

describe("the server for challenges", () => {
  const server = new ChallengeServer({
    host: "127.0.0.1",
    port: 0,
    publicOrigin: `https://${host}`,
    logger: silentLogger,
  });
  let port = 0;
  before(async () => {
    port = await server.start();
    server.tokens.set("known-token", "known-token.thumbprint");
  });
  after(() => server.stop());

  const ask = async (head: string): Promise<string> => {
    const socket = connect(port, "127.0.0.1");
    socket.end(`${head}\r\nhost: attacker.example\r\n\r\n`);
    return await text(socket);
  };

  it("gives the authorization of a known token, and nothing else below that path", async () => {
    assert.match(
      await ask("GET /.well-known/acme-challenge/known-token HTTP/1.1"),
      /^HTTP\/1.1 200 .*\r\nknown-token.thumbprint$/s,
    );
    for (const path of ["unknown", "known-token/", "../known-token", "", "known-token?a"])
      assert.match(await ask(`GET /.well-known/acme-challenge/${path} HTTP/1.1`), /^HTTP\/1.1 404 /);
    assert.match(await ask("POST /.well-known/acme-challenge/known-token HTTP/1.1"), /^HTTP\/1.1 404 /);
  });

  it("redirects what is read to the public URL, whatever host was asked, and refuses everything else", async () => {
    const answer = await ask("GET /console?a=1 HTTP/1.1");
    assert.match(answer, /^HTTP\/1.1 301 .*location: https:\/\/apps\.example\.com\/console\?a=1\r\n/s);
    assert.doesNotMatch(answer, /attacker/);
    assert.match(await ask("POST /self-service/login HTTP/1.1"), /^HTTP\/1.1 403 /);
    for (const path of ["//attacker.example/", "http://attacker.example/", `/${"a".repeat(9_000)}`])
      assert.doesNotMatch(await ask(`GET ${path} HTTP/1.1`), /location/, path.slice(0, 40));
  });
});

describe("the folder of certificates", () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "appserver-acme-"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const matches = async ({ certificateFile, keyFile }: CertificateFolder): Promise<boolean> =>
    new X509Certificate(await readFile(certificateFile)).checkPrivateKey(createPrivateKey(await readFile(keyFile)));

  it("keeps a pair through a kill between its two files, and keys from others", async () => {
    const files = new CertificateFolder(join(folder, "acme"));
    const make = (): ReturnType<typeof selfSigned> => selfSigned([host], Date.now());
    await files.prepare(make);
    assert.ok(await matches(files));
    assert.ok((await files.read()).checkHost(host));
    const first = await readFile(files.certificateFile, "utf8");
    await files.prepare(() => assert.fail("there is one already"));
    assert.equal(await readFile(files.certificateFile, "utf8"), first);
    await files.replace(await make());
    await writeFile(files.certificateFile, first);
    assert.equal(await matches(files), false);
    await files.prepare(() => assert.fail("there is one already"));
    assert.ok(await matches(files));
    const key = await files.accountKey(async () => "key of the account");
    assert.equal(await files.accountKey(() => assert.fail("there is one already")), key);
    for (const name of await readdir(join(folder, "acme")))
      assert.equal((await stat(join(folder, "acme", name))).mode & 0o077, 0, name);
  });
});
