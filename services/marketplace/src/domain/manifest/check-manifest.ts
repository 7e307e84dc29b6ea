import { type AppManifest, UpgradeStrategy } from "@appserver/contracts/proto/appserver/v2/manifest";
import type { FieldViolation } from "@appserver/kernel";
import type { AppCertificate } from "../certificate.ts";
import { checkApi } from "./check-api.ts";
import { checkAssets } from "./check-assets.ts";
import { checkContainer } from "./check-container.ts";
import { checkCounts } from "./check-counts.ts";
import { checkEnvironment } from "./check-environment.ts";
import { checkHooksAndActivities } from "./check-hooks-and-activities.ts";
import { checkIdentity } from "./check-identity.ts";
import { checkImage } from "./check-image.ts";
import { checkDependencies, checkPermissions } from "./check-permissions.ts";
import { checkReplicas } from "./check-replicas.ts";
import { checkSettings } from "./check-settings.ts";
import { checkStorage } from "./check-storage.ts";
import { checkTexts, textsOf } from "./check-texts.ts";
import { checkTranslations } from "./check-translations.ts";
import { checkUi } from "./check-ui.ts";
import { ExpressionBudget } from "./expression-budget.ts";
import { Violations } from "./violations.ts";

export interface ValidationRules {
  /** Semantic version of the platform. */
  readonly platformVersion: string;
  /** Epoch ms, for the certificate's dates. */
  readonly now: number;
  readonly allowUnsigned: boolean;
}

export interface ValidationResult {
  readonly violations: readonly FieldViolation[];
  readonly warnings: readonly FieldViolation[];
  /** Set if the manifest has a certificate that could be read. */
  readonly certificate: AppCertificate | undefined;
  /** True if the whole manifest is too large. Then nothing else was checked. */
  readonly isTooLarge: boolean;
}

/**
 * Checks a manifest against every rule in one pass and reports every violation (docs/interface/manifest.md#validation). A
 * manifest that is too large is not checked further, so that the time of a check is bounded for any manifest.
 */
export function checkManifest(manifest: AppManifest, rules: ValidationRules): ValidationResult {
  const violations = new Violations();
  const texts = checkCounts(manifest, violations) ? textsOf(manifest, violations) : undefined;
  if (!texts) return { violations: violations.found, warnings: [], certificate: undefined, isTooLarge: true };
  const budget = new ExpressionBudget();
  const certificate = checkIdentity(manifest, rules.platformVersion, rules.now, violations);
  checkTranslations(manifest, violations);
  if (violations.check(manifest.webApp !== undefined, "web_app", "is required")) {
    const parts = manifest.webApp?.ui !== undefined || manifest.webApp?.api !== undefined;
    violations.check(parts, "web_app", "needs ui, api or both");
  }
  violations.check(UpgradeStrategy[manifest.upgrade] !== undefined, "upgrade", "must be SIDE_BY_SIDE or REPLACE");
  checkAssets(manifest, { certificate, allowUnsigned: rules.allowUnsigned }, violations);
  checkUi(manifest, violations);
  checkApi(manifest, budget, violations);
  checkPermissions(manifest, violations);
  checkDependencies(manifest, violations);
  checkSettings(manifest, budget, violations);
  checkEnvironment(manifest, violations);
  checkContainer(manifest, violations);
  checkReplicas(manifest, violations);
  checkImage(manifest, violations);
  checkHooksAndActivities(manifest, budget, violations);
  checkStorage(manifest, violations);
  checkTexts(texts, violations);
  return { violations: violations.found, warnings: violations.warnings, certificate, isTooLarge: false };
}
