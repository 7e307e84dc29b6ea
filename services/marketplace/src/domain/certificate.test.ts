import assert from "node:assert/strict";
import test from "node:test";
import { around, makeCertificate, withUnknownKey } from "../../test/certificates.ts";
import { type AppCertificate, isSuccessor, isWithinValidity, parseCertificate } from "./certificate.ts";

const now = Date.UTC(2026, 0, 15);
const rsa = await makeCertificate("rsa-2048", ...around(now));

function parsed(bytes: Uint8Array): AppCertificate {
  const certificate = parseCertificate(bytes);
  assert.ok(certificate);
  return certificate;
}

test("DER and PEM encode the same certificate", () => {
  const der = parsed(rsa.certificate);
  const pem = parsed(Buffer.from(der.x509.toString()));
  assert.deepEqual([pem.fingerprint, pem.keyFingerprint], [der.fingerprint, der.keyFingerprint]);
});

test("parsing returns undefined for invalid bytes and for a certificate with an unreadable key", () => {
  assert.equal(parseCertificate(new Uint8Array()), undefined);
  assert.equal(parseCertificate(Buffer.from("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----")), undefined);
  assert.equal(parseCertificate(withUnknownKey(rsa)), undefined);
});

test("only keys that the platform accepts have a signature algorithm", async () => {
  const expected = {
    "rsa-2048": "RSA-PKCS1-SHA256",
    "p-256": "ECDSA-P256-SHA256",
    ed25519: "Ed25519",
    "rsa-1024": undefined,
    "p-384": undefined,
  };
  for (const kind of Object.keys(expected) as (keyof typeof expected)[]) {
    const { certificate } = await makeCertificate(kind, ...around(now));
    assert.equal(parsed(certificate).signatureAlgorithm, expected[kind], kind);
  }
});

test("the validity period includes both of its dates", async () => {
  const [from, to] = around(now);
  const certificate = parsed(rsa.certificate);
  assert.equal(isWithinValidity(certificate, from.getTime()), true);
  assert.equal(isWithinValidity(certificate, to.getTime()), true);
  assert.equal(isWithinValidity(certificate, from.getTime() - 1000), false);
  assert.equal(isWithinValidity(certificate, to.getTime() + 1000), false);
});

test("only the holder of the old key can issue a successor; keys of other types are refused without an exception", async () => {
  const own = parsed(rsa.certificate);
  assert.equal(isSuccessor(own, own.publicKey), true, "self-signed");
  for (const kind of ["rsa-2048", "p-256", "ed25519"] as const) {
    const other = parsed((await makeCertificate(kind, ...around(now))).certificate);
    assert.equal(isSuccessor(other, own.publicKey), false, kind);
    assert.equal(isSuccessor(own, other.publicKey), false, kind);
  }
});
