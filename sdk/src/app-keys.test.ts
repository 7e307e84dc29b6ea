import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { promisify } from "node:util";
import { ensureAppKeys, readAppKeys } from "./app-keys.ts";

const root = mkdtempSync(join(tmpdir(), "appserver-keys-"));
after(() => rmSync(root, { recursive: true, force: true }));

describe("app keys", () => {
  const folder = join(root, "app");

  test("are RSA-3072 with a self-signed certificate of ten years in the app's name", async () => {
    const { privateKey, certificate } = await ensureAppKeys(folder, "com.example.clock");
    assert.equal(privateKey.asymmetricKeyType, "rsa");
    assert.equal(privateKey.asymmetricKeyDetails?.modulusLength, 3072);
    const x509 = new X509Certificate(certificate);
    assert.equal(x509.subject, "CN=com.example.clock");
    assert.equal(x509.verify(x509.publicKey), true);
    const years = (x509.validToDate.getTime() - x509.validFromDate.getTime()) / (365.25 * 24 * 3600 * 1000);
    assert.ok(years > 9.9 && years < 10.1, `${years} years`);
    assert.ok(x509.validFromDate.getTime() < Date.now());
  });

  test("are readable only by the owner, and no temporary file remains", () => {
    assert.equal(statSync(join(folder, "key.pem")).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(folder).sort(), ["certificate.pem", "key.pem"]);
  });

  test("are kept if they exist", async () => {
    const before = readFileSync(join(folder, "key.pem"), "utf8") + readFileSync(join(folder, "certificate.pem"), "utf8");
    await ensureAppKeys(folder, "com.example.clock");
    assert.equal(readFileSync(join(folder, "key.pem"), "utf8") + readFileSync(join(folder, "certificate.pem"), "utf8"), before);
  });

  test("get a new certificate of the same key if only the certificate is missing", async () => {
    const { publicKey } = new X509Certificate(readFileSync(join(folder, "certificate.pem")));
    unlinkSync(join(folder, "certificate.pem"));
    const { certificate } = await ensureAppKeys(folder, "com.example.clock");
    assert.equal(new X509Certificate(certificate).publicKey.equals(publicKey), true);
  });

  test("that do not match are refused", async () => {
    const other = join(root, "other");
    await ensureAppKeys(other, "com.example.other");
    unlinkSync(join(other, "key.pem"));
    await assert.rejects(
      ensureAppKeys(other, "com.example.other"),
      /certificate\.pem does not belong to key\.pem in the same folder/,
    );
  });

  test("that are missing cause an error that names the file and the command to create it", async () => {
    const empty = mkdtempSync(join(root, "empty-"));
    await assert.rejects(readAppKeys(empty), /key\.pem is missing; create it with `appctl keys generate \S+ --name APP`/);
    await assert.rejects(readAppKeys(join(root, "none")), /^Error: the folder \S+\/none does not exist$/);
  });

  test("are the same pair for concurrent processes", async () => {
    const raced = join(root, "raced");
    const module = JSON.stringify(new URL("./app-keys.ts", import.meta.url).href);
    const script = `import { ensureAppKeys } from ${module};
      const { privateKey, certificate } = await ensureAppKeys(${JSON.stringify(raced)}, "com.example.raced");
      console.log(JSON.stringify([privateKey.export({ type: "pkcs8", format: "pem" }), certificate]));`;
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => promisify(execFile)(process.execPath, ["--input-type=module", "-e", script])),
    );
    assert.equal(new Set(answers.map(({ stdout }) => stdout)).size, 1);
    assert.deepEqual(readdirSync(raced).sort(), ["certificate.pem", "key.pem"]);
  });
});
