import { MultiSelect, Select, Stack, TagsInput, TextInput } from "@mantine/core";
import { useState } from "react";
import type { NotificationTargetKind, SystemEventType } from "../../generated/operations.ts";
import { i18n } from "../../i18n.ts";
import { Dialog, DialogActions, useCommand } from "../../parts/dialog.tsx";
import { eventTitle, eventTypes } from "../../parts/event-types.ts";
import { ShownOnce } from "../../parts/shown-once.tsx";
import { type CreatedTarget, createTarget } from "./notification-queries.ts";

const kinds = [
  { value: "WEBHOOK", label: i18n.t("Webhook") },
  { value: "SLACK", label: i18n.t("Slack") },
  { value: "MAIL", label: i18n.t("Mail") },
];
/** Those that the history of events has, which targets get. */
const listedTypes = eventTypes.filter((type) => type !== "HOOK_TRIGGERED" && type !== "ACTIVITY_EXECUTED");
const forPeople: readonly SystemEventType[] = ["INCIDENT_OPENED", "INCIDENT_CLOSED", "ACCESS_REQUESTED"];

interface DialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Creates a target, and shows the secret of a webhook once. */
export function TargetDialog({ opened, onClose }: DialogProps) {
  const [created, setCreated] = useState<CreatedTarget>();
  const close = (): void => {
    setCreated(undefined);
    onClose();
  };
  const onCreated = (target: CreatedTarget): void => {
    if (target.secret) setCreated(target);
    else close();
  };
  return (
    // A click outside of the dialog must not lose the secret.
    <Dialog opened={opened} onClose={close} title={i18n.t("New target")} closeOnClickOutside={!created}>
      {!created && <TargetForm onCreated={onCreated} onClose={close} />}
      {created && (
        <ShownOnce
          label={i18n.t("Secret")}
          text={i18n.t("Messages to {name} are signed with this secret. Store it now: it is not shown again.", {
            name: created.target.name,
          })}
          secret={created.secret ?? ""}
          onClose={close}
        />
      )}
    </Dialog>
  );
}

interface FormProps {
  readonly onCreated: (target: CreatedTarget) => void;
  readonly onClose: () => void;
}

function TargetForm({ onCreated, onClose }: FormProps) {
  const [name, setName] = useState("");
  const [kind, setKind] = useState<NotificationTargetKind>("WEBHOOK");
  const [url, setUrl] = useState("");
  const [addresses, setAddresses] = useState<readonly string[]>([]);
  const [types, setTypes] = useState<readonly SystemEventType[]>(forPeople);
  const place = kind === "MAIL" ? { addresses: [...addresses] } : { url };
  const isPlaced = kind === "MAIL" ? addresses.length > 0 : url !== "";
  const command = useCommand(async () => {
    onCreated(await createTarget({ name, kind, ...place, types: types.length === 0 ? null : [...types] }));
  });
  return (
    <Stack component="form" onSubmit={command.submit}>
      <TextInput
        label={i18n.t("Name")}
        placeholder="operations"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        data-autofocus
      />
      <Select
        label={i18n.t("Kind")}
        data={kinds}
        value={kind}
        allowDeselect={false}
        onChange={(chosen) => setKind((chosen ?? "WEBHOOK") as NotificationTargetKind)}
      />
      {kind === "MAIL" ? (
        <TagsInput label={i18n.t("Addresses")} value={[...addresses]} onChange={setAddresses} acceptValueOnBlur />
      ) : (
        <TextInput
          label="URL"
          placeholder={kind === "SLACK" ? "https://hooks.slack.com/services/…" : "https://example.com/events"}
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
        />
      )}
      <MultiSelect
        label={i18n.t("Types of events")}
        description={i18n.t("Without any: every type.")}
        data={listedTypes.map((value) => ({ value, label: eventTitle(value) }))}
        value={[...types]}
        onChange={(chosen) => setTypes(chosen as SystemEventType[])}
        searchable
        clearable
        clearButtonProps={{ "aria-label": i18n.t("No types") }}
      />
      <DialogActions
        command={command}
        label={i18n.t("Create target")}
        refused={i18n.t("No target was created")}
        disabled={name === "" || !isPlaced}
        onClose={onClose}
      />
    </Stack>
  );
}
