import { useMemo } from "react";
import type { Deploy } from "../../api/app-tab-queries.ts";
import { i18n } from "../../i18n.ts";
import type { Mark } from "../../parts/chart.tsx";
import { useNames } from "../../parts/use-names.ts";

/** Returns the marks of releases that began to serve: which, and by whom. */
export function useDeployMarks(deploys: readonly Deploy[]): readonly Mark[] {
  const names = useNames(deploys.flatMap(({ actor }) => actor ?? []));
  return useMemo(
    () =>
      deploys.map((deploy) => {
        const by = deploy.actor ? names.get(deploy.actor) : undefined;
        const version = versionText(deploy);
        return { at: Date.parse(deploy.at), text: by ? i18n.t("{version} by {by}", { version, by }) : version };
      }),
    [deploys, names],
  );
}

/** Returns the version, with its revision if there are several. */
export function versionText({ version, revision }: Pick<Deploy, "version" | "revision">): string {
  return revision > 1 ? i18n.t("{version} (revision {revision})", { version, revision }) : version;
}
