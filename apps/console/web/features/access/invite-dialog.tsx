import { Alert, Button, Checkbox, Code, CopyButton, Group, MultiSelect, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { Dialog, DialogActions, useCommand } from "../../parts/dialog.tsx";
import { type Invitation, invite } from "./access-queries.ts";

interface DialogProps {
  readonly opened: boolean;
  readonly roles: readonly string[];
  readonly onClose: () => void;
}

/** Invites a person, and shows the link that completes the account, unless a letter brings it. */
export function InviteDialog({ opened, roles, onClose }: DialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Invite a person" centered>
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
        label="E-mail address"
        type="email"
        description="The person signs in with it."
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        data-autofocus
      />
      <TextInput
        label="Name"
        description="Others see it. The person can change it."
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <MultiSelect
        label="Roles"
        description="The account has them from the start. Members of easy are administrators."
        data={[...roles]}
        value={chosen}
        onChange={setChosen}
        comboboxProps={{ withinPortal: true }}
      />
      <Checkbox
        label="Show me the link, and send no letter"
        description="A platform that sends no letters shows it always."
        checked={withLink}
        onChange={(event) => setWithLink(event.currentTarget.checked)}
      />
      <DialogActions
        command={command}
        label="Invite"
        refused="The person was not invited"
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
  const terms = `It works once, until ${new Date(expiresAt).toLocaleString("en")}`;
  return link == null ? (
    <Stack>
      <Text>
        A letter to {email} brings a link that completes the account. {terms}.
      </Text>
      <Group justify="flex-end">
        <Button onClick={onClose}>Done</Button>
      </Group>
    </Stack>
  ) : (
    <Stack>
      <Text>
        Send this link to {email}. {terms}, and is shown only now.
      </Text>
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
      <Alert variant="outline">The first person who opens the link completes the account.</Alert>
      <Group justify="flex-end">
        <CopyButton value={url}>
          {({ copied, copy }) => (
            <Button variant="default" onClick={copy}>
              {copied ? "Copied" : "Copy the link"}
            </Button>
          )}
        </CopyButton>
        <Button onClick={onClose}>Done</Button>
      </Group>
    </>
  );
}
