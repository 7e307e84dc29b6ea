import { Anchor, Paper, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { i18n } from "../../i18n.ts";
import type { Section } from "./flow.ts";
import { FlowPage } from "./flow-page.tsx";

/** The sections, by group. Others are shown with the name of their group. */
const sections: Readonly<Record<string, { readonly title: string; readonly lead?: string }>> = {
  profile: { title: i18n.t("Profile") },
  password: { title: i18n.t("Password"), lead: i18n.t("A new password for this account.") },
  totp: {
    title: i18n.t("Authenticator app"),
    lead: i18n.t("A second factor: the app shows a code that you enter after your password."),
  },
  passkey: {
    title: i18n.t("Passkeys"),
    lead: i18n.t(
      "Sign in without a password, by the fingerprint, the face or the PIN of your device. A passkey is also a second factor.",
    ),
  },
  lookup_secret: {
    title: i18n.t("Recovery codes"),
    lead: i18n.t("A second factor without your phone. Each code works once. Keep them where only you find them."),
  },
  sessions: { title: i18n.t("Sessions"), lead: i18n.t("Where you are signed in.") },
  oidc: { title: i18n.t("Other services"), lead: i18n.t("Accounts elsewhere with which you can sign in.") },
};

/** The account of the user: what they can change about it themselves. */
export function SettingsPage() {
  return (
    <FlowPage
      kind="settings"
      title={() => i18n.t("Account")}
      frame={frame}
      links={(_flow, returnTo) => (
        <Anchor href={returnTo ?? "/console"} size="sm">
          {i18n.t("Back to the console")}
        </Anchor>
      )}
      isWide
    />
  );
}

function frame({ group }: Section, content: ReactNode): ReactNode {
  const { title, lead } = sections[group] ?? { title: group };
  return (
    <Paper key={group} withBorder p="lg" radius="lg" component="section" aria-label={title}>
      <Stack gap="md">
        <div>
          <Title order={2} size="h4">
            {title}
          </Title>
          {lead && (
            <Text size="sm" c="dimmed">
              {lead}
            </Text>
          )}
        </div>
        {content}
      </Stack>
    </Paper>
  );
}
