import { Trans } from "@lingui/react";
import { Alert, Button, Center, Code, Group, Loader, Paper, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { ApiError } from "../api/api-error.ts";
import { useViewer } from "../api/viewer.ts";
import { i18n } from "../i18n.ts";
import { PageLink } from "./page-link.tsx";
import { TraceLink } from "./trace-link.tsx";

export function Loading() {
  return (
    <Center py="xl" role="status">
      <Loader aria-hidden />
      <Text ml="sm">{i18n.t("Loading")}</Text>
    </Center>
  );
}

/** Says why a page has no content, and how to get some. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <Paper withBorder p="xl">
      <Stack align="center" gap="xs" ta="center">
        <Title order={2} size="h4">
          {title}
        </Title>
        <Text c="dimmed" component="div">
          {children}
        </Text>
      </Stack>
    </Paper>
  );
}

/** Leads to the page that everyone may see. */
export function HomeLink() {
  return <PageLink to="/">{i18n.t("Go to the home page")}</PageLink>;
}

/**
 * Shows a refusal. While the connection is lost, the banner says it, and the page is read again afterwards. A page that was shown before
 * stays instead: it holds what was typed.
 */
export function Failure({ error, retry }: { readonly error: Error; readonly retry?: () => void }) {
  if (error instanceof ApiError && error.code === "UNREACHABLE") return <Loading />;
  return (
    <Alert color="red" variant="outline" title={i18n.t("This could not be loaded")}>
      <Stack align="flex-start" gap="xs">
        <Text size="sm">{error.message}</Text>
        <Group gap="sm">
          {retry && (
            <Button size="xs" variant="default" onClick={retry}>
              {i18n.t("Try again")}
            </Button>
          )}
          {error instanceof ApiError && error.requestId && <TraceLink id={error.requestId}>{i18n.t("Show trace")}</TraceLink>}
        </Group>
      </Stack>
    </Alert>
  );
}

/** Shows its children to users with the permission, and to others which permission is missing. */
export function Needs({ permission, children }: { readonly permission: string; readonly children: ReactNode }) {
  const { permissions, displayName } = useViewer();
  if (permissions.includes(permission)) return children;
  return (
    <Empty title={i18n.t("You may not see this page")}>
      <Trans
        id="{name} lacks the permission <0/>. An administrator can grant it."
        values={{ name: displayName ?? i18n.t("Your account") }}
        components={{ 0: <Code>{permission}</Code> }}
      />
      <br />
      <HomeLink />
    </Empty>
  );
}
