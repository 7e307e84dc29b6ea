import { Alert, Button, Checkbox, Code, CopyButton, Group, MultiSelect, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { i18n, locale } from "../../i18n.ts";
import { Dialog, DialogActions, useCommand } from "../../parts/dialog.tsx";
import { type Invitation, invite } from "./access-queries.ts";
import { roleTitle } from "./tuple-text.ts";

interface DialogProps {
  readonly opened: boolean;
  readonly roles: readonly string[];
  readonly onClose: () => void;
}

/** Invites a person, and shows the link that completes the account, unless a letter brings it. */
export function InviteDialog({ opened, roles, onClose }: DialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={i18n.t("Invite a person")}>
      {opened && <InviteForm roles={roles} onClose={onClose} />}
    </Dialog>
  );
}

function InviteForm({ roles, onClose }: Omit<DialogProps, "opened">) {
  const [email, setEmail] = useState("");
  const [name, setName] = useState("");
  const [chosen, setChosen] = useState<string[]>([]);
  const [withLink, setWithLink] = useState(false);
  const [invitation, setInvitation] = useState<Invitation>();
  const command = useCommand(async () => {
    setInvitation(await invite({ email, roles: chosen, withLink, ...(name && { name }) }));
  });
  if (invitation) return <Invited email={email} invitation={invitation} onClose={onClose} />;
  return (
    <Stack component="form" onSubmit={command.submit}>
      <TextInput
        label={i18n.t("E-mail address")}
        type="email"
        description={i18n.t("The person signs in with it.")}
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        data-autofocus
      />
      <TextInput
        label={i18n.t("Name")}
        description={i18n.t("Others see it. The person can change it.")}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <MultiSelect
        label={i18n.t("Roles")}
        description={i18n.t("The account has them from the start.")}
        data={roles.map((role) => ({ value: role, label: roleTitle(role) }))}
        value={chosen}
        onChange={setChosen}
        comboboxProps={{ withinPortal: true }}
      />
      <Checkbox
        label={i18n.t("Show me the link, and send no letter")}
        description={i18n.t("A platform that sends no letters shows it always.")}
        checked={withLink}
        onChange={(event) => setWithLink(event.currentTarget.checked)}
      />
      <DialogActions
        command={command}
        label={i18n.t("Invite")}
        refused={i18n.t("The person was not invited")}
        disabled={email === ""}
        onClose={onClose}
      />
    </Stack>
  );
}

interface InvitedProps {
  readonly email: string;
  readonly invitation: Invitation;
  readonly onClose: () => void;
}

function Invited({ email, invitation: { link, expiresAt }, onClose }: InvitedProps) {
  const terms = i18n.t("It works once, until {time}", { time: new Date(expiresAt).toLocaleString(locale) });
  return link == null ? (
    <Stack>
      <Text>{i18n.t("A letter to {email} brings a link that completes the account. {terms}.", { email, terms })}</Text>
      <Group justify="flex-end">
        <Button onClick={onClose}>{i18n.t("Done")}</Button>
      </Group>
    </Stack>
  ) : (
    <Stack>
      <Text>{i18n.t("Send this link to {email}. {terms}, and is shown only now.", { email, terms })}</Text>
      <InvitationLink url={new URL(link, window.location.origin).href} onClose={onClose} />
    </Stack>
  );
}

function InvitationLink({ url, onClose }: { readonly url: string; readonly onClose: () => void }) {
  return (
    <>
      <Code block className="wrap">
        {url}
      </Code>
      <Alert variant="outline">{i18n.t("The first person who opens the link completes the account.")}</Alert>
      <Group justify="flex-end">
        <CopyButton value={url}>
          {({ copied, copy }) => (
            <Button variant="default" onClick={copy}>
              {copied ? i18n.t("Copied") : i18n.t("Copy the link")}
            </Button>
          )}
        </CopyButton>
        <Button onClick={onClose}>{i18n.t("Done")}</Button>
      </Group>
    </>
  );
}
