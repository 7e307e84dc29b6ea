import { appNameLimit, appNamePattern, isAppName, isReservedAppName } from "@appserver/contracts/names";
import { characterCount, quote } from "@appserver/contracts/patterns";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { lineProblem } from "@appserver/kernel";
import { type AppCertificate, isWithinValidity, parseCertificate } from "../certificate.ts";
import { compareVersions, isVersion } from "../version-constraint.ts";
import { manifestLimits } from "./manifest-limits.ts";
import type { Violations } from "./violations.ts";

/** Checks name, version, display name, description and certificate (docs/interface/manifest.md#fields). */
export function checkIdentity(
  manifest: AppManifest,
  platformVersion: string,
  now: number,
  violations: Violations,
): AppCertificate | undefined {
  violations.check(
    isAppName(manifest.name),
    "name",
    `must match ${appNamePattern.source} and have at most ${appNameLimit} characters, got ${quote(manifest.name)}`,
  );
  violations.check(!isReservedAppName(manifest.name), "name", `"app" and names that begin with "app." are the platform's own`);
  violations.check(
    isVersion(manifest.version),
    "version",
    `must be a semantic version like 1.2.3, got ${quote(manifest.version)}`,
  );
  const { displayNameLength } = manifestLimits;
  violations.check(
    characterCount(manifest.displayName) <= displayNameLength,
    "display_name",
    `must have at most ${displayNameLength} characters`,
  );
  checkDescription(manifest.description, violations);
  checkPlatformVersion(manifest, platformVersion, violations);
  return checkCertificate(manifest.certificate, now, violations);
}

function checkDescription(description: string, violations: Violations): void {
  const most = manifestLimits.descriptionLength;
  violations.check(characterCount(description) <= most, "description", `must have at most ${most} characters`);
  const problem = lineProblem(description);
  if (problem !== undefined) violations.add("description", problem);
}

function checkPlatformVersion(manifest: AppManifest, platformVersion: string, violations: Violations): void {
  const wanted = manifest.minPlatformVersion;
  if (wanted === undefined || wanted === "") return;
  if (
    !violations.check(isVersion(wanted), "min_platform_version", `must be a semantic version like 1.2.3, got ${quote(wanted)}`)
  )
    return;
  violations.check(
    compareVersions(platformVersion, wanted) >= 0,
    "min_platform_version",
    `needs platform ${wanted} or newer, this is ${platformVersion}`,
  );
}

/** Checks the certificate of an app. Returns it if its key can be read. */
export function checkCertificate(bytes: Uint8Array, now: number, violations: Violations): AppCertificate | undefined {
  if (bytes.length === 0) {
    violations.add("certificate", "is required: an X.509 certificate, PEM or DER");
    return undefined;
  }
  const certificate = parseCertificate(bytes);
  if (!certificate) {
    violations.add("certificate", "is not an X.509 certificate whose key can be read (PEM or DER expected)");
    return undefined;
  }
  violations.check(
    certificate.signatureAlgorithm !== undefined,
    "certificate",
    "has an unsupported key: RSA of 2048 bits or more, EC P-256 or Ed25519 expected",
  );
  violations.check(
    isWithinValidity(certificate, now),
    "certificate",
    `is valid from ${certificate.x509.validFrom} to ${certificate.x509.validTo}, which does not include now`,
  );
  return certificate;
}
