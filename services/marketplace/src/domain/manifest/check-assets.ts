import { createHash } from "node:crypto";
import { assetMimeTypes, isAssetName } from "@appserver/contracts/assets";
import { quote } from "@appserver/contracts/patterns";
import type { AppManifest, Asset } from "@appserver/contracts/proto/appserver/v2/manifest";
import type { AppCertificate } from "../certificate.ts";
import { verifyDetached } from "../detached-signature.ts";
import { manifestLimits } from "./manifest-limits.ts";
import type { Violations } from "./violations.ts";

export interface AssetRules {
  readonly certificate: AppCertificate | undefined;
  /** Whether an asset without a signature is accepted (the default in embedded mode). */
  readonly allowUnsigned: boolean;
}

/** Checks the names, types, sizes, hashes and signatures of all assets. */
export function checkAssets(manifest: AppManifest, rules: AssetRules, violations: Violations): void {
  const assets = manifest.webApp?.assets ?? [];
  const total = assets.reduce((sum, asset) => sum + asset.contents.length, 0);
  violations.check(
    total <= manifestLimits.assetBytesTotal,
    "web_app.assets",
    `has ${total} bytes in all, at most ${manifestLimits.assetBytesTotal} are accepted`,
  );
  const seen = new Set<string>();
  for (const [index, asset] of assets.entries()) {
    const field = `web_app.assets[${index}]`;
    violations.check(!seen.has(asset.name), `${field}.name`, `${quote(asset.name)} is declared twice`);
    seen.add(asset.name);
    checkAsset(asset, field, rules, violations);
  }
}

function checkAsset(asset: Asset, field: string, rules: AssetRules, violations: Violations): void {
  violations.check(
    asset.name.length <= manifestLimits.assetNameLength && isAssetName(asset.name),
    `${field}.name`,
    `must be a relative path of letters, digits, ._-~@+$()[] and spaces inside of names, without "." or ".." segments, got ${quote(asset.name)}`,
  );
  violations.check(
    assetMimeTypes.has(asset.mimeType),
    `${field}.mime_type`,
    `must be one of ${[...assetMimeTypes].join(", ")}, got ${quote(asset.mimeType)}`,
  );
  violations.check(
    asset.contents.length <= manifestLimits.assetBytes,
    `${field}.contents`,
    `has ${asset.contents.length} bytes, at most ${manifestLimits.assetBytes} are accepted`,
  );
  const actual = createHash("sha256").update(asset.contents).digest("hex");
  violations.check(
    asset.sha256.toLowerCase() === actual,
    `${field}.sha256`,
    `must be the hex SHA-256 of the contents, which is ${actual}, got ${quote(asset.sha256)}`,
  );
  checkSignature(asset, field, rules, violations);
}

function checkSignature(asset: Asset, field: string, rules: AssetRules, violations: Violations): void {
  if (asset.signature.length === 0) {
    violations.check(
      rules.allowUnsigned,
      `${field}.signature`,
      "is required: a detached signature over the contents with the certificate's key",
    );
    return;
  }
  if (!rules.certificate) return;
  violations.check(
    verifyDetached(rules.certificate, asset.contents, asset.signature),
    `${field}.signature`,
    `does not verify over the contents with the certificate's key (${rules.certificate.signatureAlgorithm ?? "unsupported"} expected)`,
  );
}
