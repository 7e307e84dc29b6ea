import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { makeAuthority, makeCertificate } from "./x509-certificates.ts";

test("OpenSSL verifies the chain for a TLS client", async () => {
  const folder = mkdtempSync(join(tmpdir(), "appserver-x509-"));
  const now = Date.now();
  const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const subject = { commonName: "com.example.notes", uri: "urn:uuid:0193b8f0-0000-7000-8000-000000000001" };
  try {
    const authority = await makeAuthority("appserver test", now);
    const [ca, leaf] = [join(folder, "ca.pem"), join(folder, "leaf.pem")];
    writeFileSync(ca, authority.certificate);
    writeFileSync(leaf, await makeCertificate(authority, publicKey, subject, { now, endsAt: new Date(now + 24 * 3_600_000) }));
    const printed = execFileSync("openssl", ["verify", "-x509_strict", "-purpose", "sslclient", "-CAfile", ca, leaf]);
    assert.match(printed.toString(), /leaf\.pem: OK/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
