import { Group, Stack, Text } from "@mantine/core";
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
          {type === "JSON" ? "JSON" : `${type.toLowerCase()}${isArray ? " list" : ""}`}
        </Text>
      </Group>
      {description && (
        <Text size="sm" c="dimmed" className="wrap">
          {description}
        </Text>
      )}
      {draft.kind === "items" ? <ListInput {...shared} draft={draft} /> : <FieldInput {...shared} draft={draft} />}
    </Stack>
  );
}
