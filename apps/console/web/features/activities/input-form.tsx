import type { SettingItem } from "@appserver/contracts/settings/items";
import { Group, Select, Stack, Text } from "@mantine/core";
import { useEffect } from "react";
import { i18n } from "../../i18n.ts";
import { Status } from "../../parts/status.tsx";
import { loadRules } from "../settings/check-value.ts";
import type { Definition } from "../settings/definition.ts";
import { type Draft, draftOf } from "../settings/draft.ts";
import { FieldInput } from "../settings/field-input.tsx";
import { ListInput } from "../settings/list-input.tsx";
import type { Edit } from "../settings/use-settings-form.ts";
import type { Drafts, Problems } from "./input-schema.ts";

interface FormProps {
  readonly fields: readonly Definition[];
  readonly drafts: Drafts;
  readonly problems: Problems;
  readonly onChange: (drafts: Drafts) => void;
}

/** The properties of an input, each with the input that a setting of its type has. */
export function InputForm({ fields, drafts, problems, onChange }: FormProps) {
  const change = (key: string, edit: Edit): void => {
    const changed = new Map(drafts);
    if (edit === "remove") changed.delete(key);
    else changed.set(key, edit);
    onChange(changed);
  };
  // Values are checked when the input is sent.
  useEffect(() => void loadRules(), []);
  return (
    <Stack role="group" aria-label={i18n.t("Input")}>
      {fields.map((field) => (
        <Property
          key={field.key}
          field={field}
          draft={drafts.get(field.key) ?? draftOf(field, undefined)}
          error={problems.get(field.key)?.join("; ")}
          onChange={(edit) => change(field.key, edit)}
        />
      ))}
    </Stack>
  );
}

/** What a value is, in words. */
const kinds: Readonly<Record<SettingItem, string>> = {
  STRING: i18n.t("text"),
  INT: i18n.t("whole number"),
  FLOAT: i18n.t("number"),
  BOOL: i18n.t("yes or no"),
  JSON: "JSON",
  KVPAIR: i18n.t("pairs"),
};

interface PropertyProps {
  readonly field: Definition;
  readonly draft: Draft;
  readonly error: string | undefined;
  readonly onChange: (edit: Edit) => void;
}

function Property({ field, draft, error, onChange }: PropertyProps) {
  const { key, description, required, isArray, type } = field;
  const shared = { definition: field, isReadOnly: false, error, onChange, onCheck: () => {} };
  return (
    <Stack gap={4} role="group" aria-label={i18n.t("Property {key}", { key })}>
      <Group gap="xs">
        <Text size="sm" fw={600} className="wrap">
          {key}
        </Text>
        {required && <Status>{i18n.t("required")}</Status>}
        <Text size="xs" c="dimmed">
          {isArray ? i18n.t("list, each: {kind}", { kind: kinds[type] }) : kinds[type]}
        </Text>
      </Group>
      {description && (
        <Text size="sm" c="dimmed" className="wrap">
          {description}
        </Text>
      )}
      {draft.kind === "items" && <ListInput {...shared} draft={draft} />}
      {draft.kind === "text" && <FieldInput {...shared} draft={draft} />}
      {draft.kind === "flag" && (
        <FlagSelect name={key} flag={draft.flag} required={required} error={error} onChange={onChange} />
      )}
    </Stack>
  );
}

interface FlagProps {
  readonly name: string;
  readonly flag: boolean | null;
  readonly required: boolean;
  readonly error: string | undefined;
  readonly onChange: (edit: Edit) => void;
}

/** Unlike a checkbox, it shows that a property is not part of the input, and can take it out again. */
function FlagSelect({ name, flag, required, error, onChange }: FlagProps) {
  const choices = [
    { value: "true", label: i18n.t("yes") },
    { value: "false", label: i18n.t("no") },
  ];
  const choose = (value: string | null): void =>
    onChange(value === "true" || value === "false" ? { kind: "flag", flag: value === "true" } : "remove");
  return (
    <Select
      aria-label={name}
      data={required ? choices : [{ value: "", label: i18n.t("not set") }, ...choices]}
      placeholder={i18n.t("not set")}
      value={flag === null ? (required ? null : "") : String(flag)}
      allowDeselect={false}
      error={error}
      maw={220}
      onChange={choose}
    />
  );
}
