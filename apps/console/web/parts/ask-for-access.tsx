import { Trans } from "@lingui/react";
import { ActionIcon, Button, Radio, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type AccessRequest, askForAccess, type ClosedApp, ownRequestsQuery } from "../api/access-requests.ts";
import { i18n } from "../i18n.ts";
import { Dialog, DialogActions, useCommand } from "./dialog.tsx";
import { AccessIcon } from "./icons.tsx";
import { notify } from "./notices.tsx";
import { Status } from "./status.tsx";
import { Time } from "./time.tsx";

const dayMs = 86_400_000;
const maxReason = 200;

interface AskProps {
  readonly app: ClosedApp;
  /** Whether it is the only thing that the page asks of the viewer. */
  readonly isMain?: boolean;
}

/** Asks administrators for access to an app, or says what came of it. */
export function AskForAccess({ app, isMain = false }: AskProps) {
  const { data: own } = useQuery(ownRequestsQuery);
  const [isOpen, setOpen] = useState(false);
  const last = own?.find(({ appName }) => appName === app.name);
  return (
    <>
      {last && <LastRequest request={last} />}
      {mayAskAgain(last) && (
        <Button
          size={isMain ? "sm" : "xs"}
          variant={isMain ? "filled" : "default"}
          aria-label={i18n.t("Ask for access to {displayName}", { displayName: app.displayName })}
          onClick={() => setOpen(true)}
        >
          {i18n.t("Ask for access")}
        </Button>
      )}
      <Dialog
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={i18n.t("Ask for access to {displayName}", { displayName: app.displayName })}
      >
        <AskForm app={app} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

/** A small button in the corner of the tile of an app of which some pages are closed to the viewer. */
export function AskForMore({ app }: { readonly app: ClosedApp }) {
  const [isOpen, setOpen] = useState(false);
  const label = i18n.t("Ask for more access to {displayName}", { displayName: app.displayName });
  return (
    <>
      <ActionIcon variant="transparent" className="tile-more" aria-label={label} title={label} onClick={() => setOpen(true)}>
        <AccessIcon />
      </ActionIcon>
      <Dialog opened={isOpen} onClose={() => setOpen(false)} title={label}>
        <AskForm app={app} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

/** The platform takes a request for the same once a day. */
function mayAskAgain(last: AccessRequest | undefined): boolean {
  return last === undefined || (last.state !== "OPEN" && Date.parse(last.requestedAt) < Date.now() - dayMs);
}

function LastRequest({ request: { state, requestedAt } }: { readonly request: AccessRequest }) {
  if (state === "DECLINED")
    return (
      <Text size="sm" c="dimmed" span>
        <Status>{i18n.t("Declined")}</Status>{" "}
        <Trans id="You asked <0/>. Speak with an administrator." components={{ 0: <Time at={requestedAt} /> }} />
      </Text>
    );
  if (state === "GRANTED")
    return (
      <Text size="sm" c="dimmed" span>
        <Status tone="good">{i18n.t("Granted")}</Status>{" "}
        {i18n.t("The app opens in a moment, or needs more than you asked for.")}
      </Text>
    );
  return (
    <Text size="sm" c="dimmed" span>
      <Status tone="active">{i18n.t("Asked")}</Status>{" "}
      <Trans id="You asked <0/>. An administrator decides." components={{ 0: <Time at={requestedAt} /> }} />
    </Text>
  );
}

function AskForm({ app, onClose }: { readonly app: ClosedApp; readonly onClose: () => void }) {
  const [access, setAccess] = useState(app.permissions[0] ?? "viewer");
  const [reason, setReason] = useState("");
  const command = useCommand(async () => {
    await askForAccess({ appName: app.name, access, reason: reason.trim() || null });
    notify(
      i18n.t("Administrators see your request"),
      i18n.t("{displayName} shows more as soon as one of them has granted it.", { displayName: app.displayName }),
    );
    onClose();
  });
  return (
    <Stack component="form" onSubmit={command.submit}>
      <Radio.Group label={i18n.t("What do you need?")} value={access} onChange={setAccess}>
        <Stack gap="xs" mt="xs">
          {app.permissions.map((permission, index) => {
            const opens = index === 0 && !app.hasOpenPages;
            return (
              <Radio
                key={permission}
                value={permission}
                label={opens ? i18n.t("To open the app") : i18n.t("The permission {permission}", { permission })}
                description={opens ? i18n.t("The permission {permission}, and nothing else", { permission }) : undefined}
              />
            );
          })}
          <Radio value="viewer" label={i18n.t("To see all that is in the app")} description={i18n.t("Viewer of the app")} />
          <Radio value="editor" label={i18n.t("To change what is in the app, too")} description={i18n.t("Editor of the app")} />
        </Stack>
      </Radio.Group>
      <TextInput
        label={i18n.t("Reason (optional)")}
        description={i18n.t("One line for the administrators")}
        maxLength={maxReason}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        data-autofocus
      />
      <DialogActions command={command} label={i18n.t("Ask")} refused={i18n.t("Your request was not sent")} onClose={onClose} />
    </Stack>
  );
}
