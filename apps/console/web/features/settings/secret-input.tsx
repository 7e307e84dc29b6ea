import { PasswordInput } from "@mantine/core";
import { i18n } from "../../i18n.ts";
import type { Draft } from "./draft.ts";
import type { InputProps } from "./input-props.ts";

interface SecretProps extends InputProps<Extract<Draft, { kind: "text" }>> {
  readonly isSet: boolean;
  readonly isRemoved: boolean;
}

/** A secret can be replaced and removed. Its value is never shown, also to users who may read it. */
export function SecretInput({ definition, draft, isSet, isRemoved, isReadOnly, error, onChange, onCheck }: SecretProps) {
  const { key, placeholder = i18n.t("Not set") } = definition;
  return (
    <PasswordInput
      aria-label={key}
      value={draft.text}
      disabled={isReadOnly}
      error={error}
      autoComplete="new-password"
      placeholder={isRemoved ? i18n.t("Is removed when you save") : isSet ? i18n.t("Set. Type to replace it") : placeholder}
      visibilityToggleButtonProps={{ "aria-label": i18n.t("Show what you typed for {key}", { key }) }}
      onBlur={onCheck}
      onChange={(event) => onChange({ kind: "text", text: event.currentTarget.value })}
    />
  );
}
