import { metricCatalogue } from "@appserver/contracts/metrics";
import { auditEntry } from "@appserver/kernel";
import type { AuditLog, Database, Metrics } from "@appserver/kernel/ports";
import type { UiDeps } from "@appserver/ui";

export interface CorruptAssetsParts {
  readonly database: Database;
  readonly audit: AuditLog;
  readonly metrics: Metrics;
}

/**
 * Handles assets whose stored bytes do not match their hash: counts each occurrence, and records the audit entries that the
 * service `ui` requests, one an hour for each version of an asset.
 */
export function corruptAssets({
  database,
  audit,
  metrics,
}: CorruptAssetsParts): Pick<UiDeps, "onCorruptAsset" | "auditCorruptAsset"> {
  const corrupt = metrics.counter(metricCatalogue.assetsCorrupt);
  return {
    onCorruptAsset: ({ appName }) => corrupt.bind({ app: appName }).add(),
    auditCorruptAsset: ({ appName, assetName, version, expectedSha256, actualSha256 }) =>
      database.transaction((tx) =>
        audit.record(
          tx,
          auditEntry(
            { actor: undefined },
            {
              action: "asset.refuse",
              target: `app:${appName}`,
              outcome: "failure",
              details: { asset: assetName, version, expectedSha256, actualSha256 },
            },
          ),
        ),
      ),
  };
}
