import { Group, Paper, Text } from "@mantine/core";
import type { Deploy } from "../../api/app-tab-queries.ts";
import type { AppDetails } from "../../api/queries.ts";
import { i18n } from "../../i18n.ts";
import { Time } from "../../parts/time.tsx";
import { Who } from "../../parts/who.tsx";
import { versionText } from "./deploy-marks.ts";
import { ReleaseSource } from "./release-source.tsx";

const kinds: Readonly<Record<Deploy["kind"], string>> = {
  INSTALL: i18n.t("Installed"),
  UPGRADE: i18n.t("Upgraded"),
  ROLLBACK: i18n.t("Rolled back"),
  REDEPLOY: i18n.t("Deployed again"),
  REVERT: i18n.t("Reverted"),
};

/** The release that serves: since when, by whom, and from which commit. */
export function LastDeploy({ app, deploy }: { readonly app: AppDetails; readonly deploy: Deploy }) {
  const source = app.releases.find(({ manifestDigest }) => manifestDigest === deploy.manifestDigest)?.source;
  return (
    <Paper withBorder px="md" py="xs" component="section" aria-label={i18n.t("Last deploy")}>
      <Group gap="sm">
        <Text size="sm" c="dimmed">
          {i18n.t("Last deploy")}
        </Text>
        <Text fw={600}>{versionText(deploy)}</Text>
        <Text size="sm">{kinds[deploy.kind]}</Text>
        <Text size="sm">
          <Time at={deploy.at} />
        </Text>
        {deploy.actor && (
          <Text size="sm" component="span">
            <Who id={deploy.actor} />
          </Text>
        )}
        {source && <ReleaseSource source={source} />}
      </Group>
    </Paper>
  );
}
