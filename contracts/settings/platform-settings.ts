import { create } from "@bufbuild/protobuf";
import {
  SettingDataType,
  type SettingDefinition,
  SettingDefinitionSchema,
  ValidationRulesSchema,
} from "../generated/proto/appserver/v2/settings_pb.js";

/** The setting that overrides the orchestrator's image tag for one app (specification §2.3, §6.5). */
export const imageStageKey = "docker.image.stage";

/** What it may say (specification §6.5). */
export const imageStages = ["latest", "pre-release", "testing"] as const;

/** The settings that every app has without declaring them. */
export const platformSettings: readonly SettingDefinition[] = [
  create(SettingDefinitionSchema, {
    key: imageStageKey,
    dataType: SettingDataType.STRING,
    description: "The image tag that the app's container is made from; taken up by its next deployment.",
    validation: create(ValidationRulesSchema, { enum: [...imageStages] }),
  }),
];

/**
 * The definitions that hold for an app: its own and the platform's. Where an app declares a setting of the platform, it
 * gives it a description and a default, and cannot widen what the setting may say.
 */
export function effectiveDefinitions(declared: readonly SettingDefinition[]): readonly SettingDefinition[] {
  const own = new Map(declared.map((definition) => [definition.key, definition]));
  const platform = platformSettings.map((definition) => {
    const { defaultValue, description = "" } = own.get(definition.key) ?? {};
    return create(SettingDefinitionSchema, {
      ...definition,
      ...(description === "" ? {} : { description }),
      ...(defaultValue === undefined ? {} : { defaultValue }),
    });
  });
  const reserved = new Set(platformSettings.map(({ key }) => key));
  return [...declared.filter(({ key }) => !reserved.has(key)), ...platform];
}

/** The image stage that an app declares as the default of its setting; undefined where it declares none. */
export function defaultImageStage(declared: readonly SettingDefinition[]): string | undefined {
  const text = declared.find(({ key }) => key === imageStageKey)?.defaultValue;
  return imageStages.find((stage) => JSON.stringify(stage) === text?.trim());
}
