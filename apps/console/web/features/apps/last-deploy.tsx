import { Anchor, Group, Paper, Text } from "@mantine/core";
import type { Deploy } from "../../api/app-tab-queries.ts";
import type { AppDetails } from "../../api/queries.ts";
import { Time } from "../../parts/time.tsx";
import { Who } from "../../parts/who.tsx";
import { versionText } from "./deploy-marks.ts";

const kinds: Readonly<Record<Deploy["kind"], string>> = {
  INSTALL: "Installed",
  UPGRADE: "Upgraded",
  ROLLBACK: "Rolled back",
  REDEPLOY: "Deployed again",
  REVERT: "Reverted",
};

/** The release that serves: since when, by whom, and from which commit. */
export function LastDeploy({ app, deploy }: { readonly app: AppDetails; readonly deploy: Deploy }) {
  const source = app.releases.find(({ manifestDigest }) => manifestDigest === deploy.manifestDigest)?.source;
  return (
    <Paper withBorder px="md" py="xs" component="section" aria-label="Last deploy">
      <Group gap="xs" className="last-deploy">
        <Text size="sm" c="dimmed">
          Last deploy
        </Text>
        <Text fw={600}>{versionText(deploy)}</Text>
        <Text size="sm">
          {kinds[deploy.kind]} <Time at={deploy.at} />
        </Text>
        {deploy.actor && (
          <Text size="sm" component="span">
            by <Who id={deploy.actor} />
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
      from {repository} {commit && <code title={commit}>{commit.slice(0, 7)}</code>} {ref?.replace(/^refs\/(heads|tags)\//, "")}
      {isLink && (
        <>
          {" · "}
          <Anchor href={runUrl} target="_blank" rel="noopener noreferrer" underline="always" size="sm">
            run of the pipeline
          </Anchor>
        </>
      )}
    </Text>
  );
}

type Source = NonNullable<AppDetails["releases"][number]["source"]>;
