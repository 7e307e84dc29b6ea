import { scopeObject } from "@appserver/contracts/authorization";
import { Autocomplete, SegmentedControl, Select, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { i18n } from "../../i18n.ts";
import { DialogActions, useCommand } from "../../parts/dialog.tsx";
import { AppFilter } from "../../parts/filter-field.tsx";
import { notify } from "../../parts/notices.tsx";
import { grant, type Tuple } from "./access-queries.ts";
import { namesIn } from "./grant-names.ts";
import type { Granted } from "./granted.ts";
import { PlatformPermission } from "./platform-permission.tsx";
import { SubjectField } from "./subject-field.tsx";
import { grantText, roleTitle, subjectName } from "./tuple-text.ts";

const kinds = [
  { value: "role", label: i18n.t("Role") },
  { value: "level", label: i18n.t("Level of an app") },
  { value: "permission", label: i18n.t("Permission") },
] as const;
const levels = [
  { value: "viewer", label: i18n.t("Viewer: read, list and view") },
  { value: "editor", label: i18n.t("Editor: also create, update and write") },
  { value: "owner", label: i18n.t("Owner: everything") },
];

interface FormProps {
  readonly granted: Granted;
  readonly roles: readonly string[];
  readonly onClose: () => void;
}

/** What is granted, and to whom. */
// biome-ignore lint/style/noDefaultExport: React.lazy loads default exports
export default function GrantForm({ granted, roles, onClose }: FormProps) {
  const [user, setUser] = useState(granted.user ?? "");
  const [kind, setKind] = useState<(typeof kinds)[number]["value"]>(granted.app ? "level" : "role");
  const [role, setRole] = useState(granted.role ?? "");
  const [app, setApp] = useState(granted.app ?? "");
  const [level, setLevel] = useState("viewer");
  const [permission, setPermission] = useState("");
  const tuple = tupleOf();
  const isFixed = granted.app !== undefined || granted.role !== undefined;

  function tupleOf(): Tuple | undefined {
    if (user === "") return undefined;
    if (kind === "role") return role ? { user, relation: "assignee", object: `role:${role}` } : undefined;
    if (kind === "level") return app ? { user, relation: level, object: `app:${app}` } : undefined;
    if (permission === "") return undefined;
    try {
      return { user, relation: "holder", object: scopeObject(permission, app || undefined) };
    } catch {
      return undefined;
    }
  }

  const command = useCommand(async () => {
    if (!tuple) return;
    await grant(tuple);
    const names = await namesIn(tuple);
    const name = subjectName({ id: user, displayName: names.get(user) ?? null });
    notify(i18n.t("Granted to {name}", { name }), grantText(tuple, names));
    onClose();
  });

  return (
    <Stack component="form" onSubmit={command.submit}>
      <SubjectField value={user} roles={roles} onChange={setUser} />
      {!isFixed && (
        <SegmentedControl
          fullWidth
          aria-label={i18n.t("What is granted")}
          transitionDuration={0}
          data={[...kinds]}
          value={kind}
          onChange={(chosen) => setKind(kinds.find(({ value }) => value === chosen)?.value ?? "role")}
        />
      )}
      {kind === "role" && (
        <Autocomplete
          label={i18n.t("Role")}
          description={i18n.t("A new name makes a new role.")}
          data={roles.map(roleTitle)}
          value={roleTitle(role)}
          onChange={(text) => setRole(roles.find((name) => roleTitle(name) === text) ?? text)}
          readOnly={Boolean(granted.role)}
          comboboxProps={{ withinPortal: true }}
        />
      )}
      {kind === "level" && granted.app === undefined && <AppFilter value={app} onChange={(name) => setApp(name ?? "")} />}
      {kind === "level" && (
        <Select
          label={i18n.t("Level")}
          data={levels}
          value={level}
          allowDeselect={false}
          onChange={(chosen) => setLevel(chosen ?? "viewer")}
        />
      )}
      {kind === "permission" && (
        <>
          <AppFilter label={i18n.t("App (empty: the platform)")} value={app} onChange={(name) => setApp(name ?? "")} />
          {app === "" ? (
            <PlatformPermission value={permission} onChange={setPermission} />
          ) : (
            <TextInput
              label={i18n.t("Permission")}
              placeholder="notes:read"
              value={permission}
              onChange={(event) => setPermission(event.currentTarget.value)}
            />
          )}
        </>
      )}
      <DialogActions
        command={command}
        label={i18n.t("Grant")}
        refused={i18n.t("This was not granted")}
        disabled={!tuple}
        onClose={onClose}
      />
    </Stack>
  );
}
