import { Trans } from "@lingui/react";
import { Anchor, Group, Paper, Text } from "@mantine/core";
import type { Deploy } from "../../api/app-tab-queries.ts";
import type { AppDetails } from "../../api/queries.ts";
import { i18n } from "../../i18n.ts";
import { Time } from "../../parts/time.tsx";
import { Who } from "../../parts/who.tsx";
import { versionText } from "./deploy-marks.ts";

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
      <Group gap="xs" className="last-deploy">
        <Text size="sm" c="dimmed">
          {i18n.t("Last deploy")}
        </Text>
        <Text fw={600}>{versionText(deploy)}</Text>
        <Text size="sm">
          {kinds[deploy.kind]} <Time at={deploy.at} />
        </Text>
        {deploy.actor && (
          <Text size="sm" component="span">
            <Trans id="by <0/>" components={{ 0: <Who id={deploy.actor} /> }} />
          </Text>
        )}
        {source && <Source source={source} />}
      </Group>
    </Paper>
  );
}

/** A token of the pipeline chose the texts. */
function Source({ source: { repository, commit, ref, runUrl } }: { readonly source: Source }) {
  const isLink = runUrl != null && /^https?:\/\//.test(runUrl);
  return (
    <Text size="sm" c="dimmed" component="span" className="wrap">
      <Trans
        id="from {repository} <0/> {branch}"
        values={{ repository, branch: ref?.replace(/^refs\/(heads|tags)\//, "") ?? "" }}
        components={{ 0: <code title={commit ?? ""}>{commit?.slice(0, 7)}</code> }}
      />
      {isLink && (
        <>
          {" · "}
          <Anchor href={runUrl} target="_blank" rel="noopener noreferrer" underline="always" size="sm">
            {i18n.t("run of the pipeline")}
          </Anchor>
        </>
      )}
    </Text>
  );
}

type Source = NonNullable<AppDetails["releases"][number]["source"]>;
