import assert from "node:assert/strict";
import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { test } from "node:test";
import { makeAuthority, makeCertificate } from "./x509-certificates.ts";

const now = Date.now();
const endsAt = new Date(Math.floor((now + 24 * 3_600_000) / 1_000) * 1_000);
const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
const subject = { commonName: "com.example.notes", uri: "urn:uuid:0193b8f0-0000-7000-8000-000000000001" };

test("a certificate belongs to its key, names its app, ends in time, and was signed by the authority alone", async () => {
  const authority = await makeAuthority("appserver test", now);
  const certificate = new X509Certificate(await makeCertificate(authority, publicKey, subject, { now, endsAt }));
  const issuer = new X509Certificate(authority.certificate);
  assert.ok(certificate.verify(issuer.publicKey));
  assert.ok(certificate.checkIssued(issuer));
  assert.ok(certificate.checkPrivateKey(privateKey));
  assert.equal(certificate.ca, false);
  assert.equal(issuer.ca, true);
  assert.equal(certificate.subject, `CN=${subject.commonName}`);
  assert.equal(certificate.subjectAltName, `URI:${subject.uri}`);
  assert.equal(certificate.validToDate.getTime(), endsAt.getTime());
  assert.ok(certificate.validFromDate.getTime() < now);
  const another = new X509Certificate((await makeAuthority("appserver test", now)).certificate);
  assert.equal(certificate.verify(another.publicKey), false);
});
