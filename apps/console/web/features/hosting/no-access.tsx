import { Group, Paper, Stack, Text, Title } from "@mantine/core";
import type { ClosedApp } from "../../api/access-requests.ts";
import { i18n } from "../../i18n.ts";
import { AppIcon } from "../../parts/app-icon.tsx";
import { AskForAccess } from "../../parts/ask-for-access.tsx";
import { usePageTitle } from "../../parts/page-title.ts";
import { HomeLink } from "../../parts/states.tsx";

/** In place of the page of an app that the viewer may not open. */
export function NoAccess({ app }: { readonly app: ClosedApp }) {
  usePageTitle(app.displayName);
  return (
    <Paper withBorder p="xl">
      <Stack align="center" gap="sm" ta="center">
        <AppIcon icon={app.icon} title={app.displayName} large />
        <Title order={1}>{i18n.t("You may not open {displayName} yet", { displayName: app.displayName })}</Title>
        {app.description && <Text className="wrap">{app.description}</Text>}
        <Text c="dimmed">{i18n.t("This page opens by itself as soon as an administrator has given you access.")}</Text>
        <Group justify="center">
          <AskForAccess app={app} isMain />
        </Group>
        <HomeLink />
      </Stack>
    </Paper>
  );
}
