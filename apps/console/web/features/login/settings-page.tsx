import { Anchor, Paper, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import type { Section } from "./flow.ts";
import { FlowPage } from "./flow-page.tsx";

/** The sections, by group. Others are shown with the name of their group. */
const sections: Readonly<Record<string, { readonly title: string; readonly lead?: string }>> = {
  profile: { title: "Profile" },
  password: { title: "Password", lead: "A new password for this account." },
  totp: { title: "Authenticator app", lead: "A second factor: the app shows a code that you enter after your password." },
  passkey: {
    title: "Passkeys",
    lead: "Sign in without a password, by the fingerprint, the face or the PIN of your device. A passkey is also a second factor.",
  },
  lookup_secret: {
    title: "Recovery codes",
    lead: "A second factor without your phone. Each code works once. Keep them where only you find them.",
  },
  sessions: { title: "Sessions", lead: "Where you are signed in." },
  oidc: { title: "Other services", lead: "Accounts elsewhere with which you can sign in." },
};

/** The account of the user: what they can change about it themselves. */
export function SettingsPage() {
  return (
    <FlowPage
      kind="settings"
      title={() => "Account"}
      frame={frame}
      links={(_flow, returnTo) => (
        <Anchor href={returnTo ?? "/console"} size="sm">
          Back to the console
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
