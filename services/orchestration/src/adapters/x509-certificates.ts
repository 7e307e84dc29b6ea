import { createPrivateKey, generateKeyPair, type KeyObject, randomBytes, webcrypto } from "node:crypto";
import { promisify } from "node:util";

const authorityAlgorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const authorityLifeYears = 10;
/** Clocks differ: the receiver must not consider a certificate not yet valid. */
const clockToleranceMs = 60_000;

/** The certificate of an authority and its private key, both PEM. */
export interface Authority {
  readonly certificate: string;
  readonly privateKey: string;
}

export interface CertificateSubject {
  readonly commonName: string;
  /** Written as a URI among the alternative names. */
  readonly uri: string;
}

/** Makes an authority: EC P-256, valid for ten years. `now` is epoch ms. */
export async function makeAuthority(commonName: string, now: number): Promise<Authority> {
  const { privateKey } = await promisify(generateKeyPair)("ec", { namedCurve: "P-256" });
  const x509 = await load();
  const keys = await x509Keys(privateKey);
  const notAfter = new Date(now);
  notAfter.setFullYear(notAfter.getFullYear() + authorityLifeYears);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: [{ CN: [commonName] }],
    notBefore: new Date(now - clockToleranceMs),
    notAfter,
    signingAlgorithm: authorityAlgorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: pem(certificate), privateKey: privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
}

/** Returns a certificate (PEM) of an RSA key for clients and servers of TLS, signed by the authority. `now` is epoch ms. */
export async function makeCertificate(
  authority: Authority,
  publicKey: KeyObject,
  subject: CertificateSubject,
  validity: { readonly now: number; readonly endsAt: Date },
): Promise<string> {
  const x509 = await load();
  const issuer = new x509.X509Certificate(authority.certificate);
  const signing = await x509Keys(createPrivateKey(authority.privateKey));
  const rsa = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
  const spki = publicKey.export({ type: "spki", format: "der" });
  const key = await webcrypto.subtle.importKey("spki", spki, rsa, true, ["verify"]);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: [{ CN: [subject.commonName] }],
    issuer: issuer.subject,
    notBefore: new Date(validity.now - clockToleranceMs),
    notAfter: validity.endsAt,
    signingAlgorithm: authorityAlgorithm,
    publicKey: key,
    signingKey: signing.privateKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth, x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([{ type: "url", value: subject.uri }]),
      await x509.AuthorityKeyIdentifierExtension.create(signing.publicKey),
    ],
  });
  return pem(certificate);
}

/** Loaded on demand: most processes make no certificate. */
async function load() {
  await import("reflect-metadata");
  return await import("@peculiar/x509");
}

async function x509Keys(privateKey: KeyObject): Promise<webcrypto.CryptoKeyPair> {
  const { subtle } = webcrypto;
  const pkcs8 = privateKey.export({ type: "pkcs8", format: "der" });
  const signing = await subtle.importKey("pkcs8", pkcs8, authorityAlgorithm, true, ["sign"]);
  const { d: _private, key_ops: _use, ...jwk } = await subtle.exportKey("jwk", signing);
  const verifying = await subtle.importKey("jwk", jwk, authorityAlgorithm, true, ["verify"]);
  return { privateKey: signing, publicKey: verifying };
}

/** Positive, as RFC 5280 §4.1.2.2 requires. */
function serialNumber(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes.toString("hex");
}

function pem(certificate: { toString(format: "pem"): string }): string {
  return `${certificate.toString("pem")}\n`;
}
