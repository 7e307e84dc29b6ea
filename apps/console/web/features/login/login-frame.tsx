import { Group, Paper, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { BrandIcon } from "../../parts/icons.tsx";
import { usePageTitle } from "../../parts/page-title.ts";
import { platformName } from "../../parts/platform-name.ts";
import { ThemeSwitch } from "../../parts/theme-switch.tsx";

interface LoginFrameProps {
  readonly title: string;
  /** What the page is for, in a sentence. */
  readonly lead?: string | undefined;
  readonly children: ReactNode;
  /** Links to other pages. */
  readonly links?: ReactNode;
  /** Several cards below each other instead of one. */
  readonly isWide?: boolean;
}

/** The page around a flow, for people without a session. */
export function LoginFrame({ title, lead, children, links, isWide = false }: LoginFrameProps) {
  usePageTitle(title);
  const head = (
    <div>
      <Title order={1}>{title}</Title>
      {lead && <Text c="dimmed">{lead}</Text>}
    </div>
  );
  return (
    <div className="login">
      <Group component="header" justify="space-between" p="md">
        <Group gap="xs">
          <BrandIcon />
          <Text fw={700}>{platformName()}</Text>
        </Group>
        <ThemeSwitch />
      </Group>
      <main className={isWide ? "login-wide" : "login-narrow"}>
        {isWide ? (
          <Stack gap="lg">
            {head}
            {children}
          </Stack>
        ) : (
          <Paper withBorder p="lg">
            <Stack gap="lg">
              {head}
              {children}
            </Stack>
          </Paper>
        )}
        {links && (
          <Group justify="center" gap="lg" mt="lg">
            {links}
          </Group>
        )}
      </main>
    </div>
  );
}
