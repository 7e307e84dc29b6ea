import { PasswordInput } from "@mantine/core";
import type { Draft } from "./draft.ts";
import type { InputProps } from "./input-props.ts";

interface SecretProps extends InputProps<Extract<Draft, { kind: "text" }>> {
  readonly isSet: boolean;
  readonly isRemoved: boolean;
}

/** A secret can be replaced and removed. Its value is never shown, also to users who may read it. */
export function SecretInput({ definition, draft, isSet, isRemoved, isReadOnly, error, onChange, onCheck }: SecretProps) {
  const { key, placeholder = "Not set" } = definition;
  return (
    <PasswordInput
      aria-label={key}
      value={draft.text}
      disabled={isReadOnly}
      error={error}
      autoComplete="new-password"
      placeholder={isRemoved ? "Is removed when you save" : isSet ? "Set. Type to replace it" : placeholder}
      visibilityToggleButtonProps={{ "aria-label": `Show what you typed for ${key}` }}
      onBlur={onCheck}
      onChange={(event) => onChange({ kind: "text", text: event.currentTarget.value })}
    />
  );
}
