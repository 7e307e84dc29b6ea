import { NumberInput, Select, Stack, TagsInput, TextInput } from "@mantine/core";
import { useState } from "react";
import { i18n } from "../../i18n.ts";
import { DialogActions, useCommand } from "../../parts/dialog.tsx";
import { AppFilter } from "../../parts/filter-field.tsx";
import { type Account, createAccount, createToken, type Grant, type Issued } from "./service-account-queries.ts";

const levels = ["viewer", "editor", "owner"];
const maxDays = 366;

interface FormProps {
  readonly receiver: Account | "new";
  readonly onIssued: (issued: Issued) => void;
  readonly onClose: () => void;
}

/** What a token allows and for how long; of a new account, what it is given as well. */
export function TokenForm({ receiver, onIssued, onClose }: FormProps) {
  const isNew = receiver === "new";
  const [name, setName] = useState("");
  const [role, setRole] = useState("");
  const [app, setApp] = useState<string>();
  const [level, setLevel] = useState("viewer");
  const [days, setDays] = useState(90);
  const [scopes, setScopes] = useState<readonly string[]>([]);

  const command = useCommand(async () => {
    const terms = { days, scopes };
    onIssued(isNew ? await createAccount(name, grantsOf(), terms) : await createToken(receiver.id, terms));
  });

  function grantsOf(): readonly Grant[] {
    return [
      ...(role === "" ? [] : [{ relation: "assignee", object: `role:${role}` }]),
      ...(app ? [{ relation: level, object: `app:${app}` }] : []),
    ];
  }

  return (
    <Stack component="form" onSubmit={command.submit}>
      {isNew && (
        <>
          <TextInput
            label={i18n.t("Name")}
            placeholder="ci"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            data-autofocus
          />
          <TextInput
            label={i18n.t("Role (optional)")}
            description={i18n.t("You must hold all that the account is given. More can be granted later.")}
            value={role}
            onChange={(event) => setRole(event.currentTarget.value)}
          />
          <AppFilter label={i18n.t("App (optional)")} value={app} onChange={setApp} />
          {app && (
            <Select
              label={i18n.t("Level")}
              data={levels}
              value={level}
              allowDeselect={false}
              onChange={(chosen) => setLevel(chosen ?? "viewer")}
            />
          )}
        </>
      )}
      <NumberInput
        label={i18n.t("Valid for days")}
        min={1}
        max={maxDays}
        allowDecimal={false}
        value={days}
        onChange={(value) => setDays(Number(value))}
      />
      <TagsInput
        label={i18n.t("Scopes (optional)")}
        description={i18n.t(
          "What the token may do: app:install, com.example.notes/notes:read, or com.example.notes/*. Without scopes: all that the account holds.",
        )}
        value={[...scopes]}
        onChange={setScopes}
      />
      <DialogActions
        command={command}
        label={i18n.t("Create token")}
        refused={i18n.t("No token was made")}
        disabled={(isNew && name === "") || days < 1}
        onClose={onClose}
      />
    </Stack>
  );
}
