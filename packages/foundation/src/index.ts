export { agentFragment } from './agents/agent-fragment.js';
export { type AgentListing, AgentLoader, type LoadedAgent } from './agents/agent-loader.js';
export { agentVariable } from './agents/agent-name.js';
export {
  type AgentOverride,
  type AgentResolution,
  AgentResolver,
  type AgentResolverOptions,
  type ListedAgent,
} from './agents/agent-resolver.js';
export { type Agent, AgentAccess, AgentFrontmatter, AgentMeta, SystemConfig } from './agents/agent-schema.js';
export {
  agentSearchOrder,
  environmentAgentNames,
  environmentOverride,
  expandHome,
} from './agents/agent-search-order.js';
export { type AgentSearchPath, listAgentFiles } from './agents/list-agent-files.js';
export { type ParsedAgent, parseAgent } from './agents/parse-agent.js';
export { type AgentFile, agentFileReader, type ReadAgentFile } from './agents/read-agent-file.js';
export { BUILT_IN_BUNDLE } from './built-in-bundle.js';
export { type Bundle, type BundlePart, bundleToMountPlan } from './bundles/bundle.js';
export { BundleLoader, type BundleLoaderOptions, bundleSearchPaths } from './bundles/bundle-loader.js';
export { EMPTY_BUNDLE } from './bundles/compose-bundle.js';
export { discoverBundles } from './bundles/discover-bundles.js';
export { mergeBundleModules, mergeBundleValues } from './bundles/merge-bundle-values.js';
export type { BundleRegistry, OpenBundle } from './bundles/open-bundle-file.js';
export { snapshotBundle } from './bundles/snapshot-bundle.js';
export { isRelativeSource } from './documents/absolute-sources.js';
export { confinedPath, pathWithin } from './documents/confined-path.js';
export { FileMemo, type Places, stampOf, UNKNOWN_PLACE } from './documents/file-memo.js';
export { parseToml } from './documents/parse-toml.js';
export { parseYamlMapping, type YamlMapping, type YamlText } from './documents/parse-yaml.js';
export { readTextFile } from './documents/read-text-file.js';
export { type SplitText, splitFrontmatter } from './documents/split-frontmatter.js';
export { FOUNDATION_ERROR_CODES, FoundationError, type FoundationErrorCode, type Place } from './errors.js';
export { findInstructions } from './instructions/find-instructions.js';
export { type Instructions, readInstructions } from './instructions/read-instructions.js';
export {
  type ExpandedText,
  type ExpandOptions,
  expandMentions,
  type MentionPart,
} from './mentions/expand-mentions.js';
export { findMentions } from './mentions/find-mentions.js';
export { type LoadedMentions, loadMentions, type MentionedFile } from './mentions/load-mentions.js';
export {
  type MentionResolver,
  type MentionRoots,
  type MissingReason,
  mentionResolver,
} from './mentions/mention-resolver.js';
export { type PromptSources, systemPrompt } from './mentions/system-prompt.js';
export { filterAgents, joinRosters } from './merge/agent-access.js';
export {
  type HookInheritance,
  inheritHooks,
  inheritTools,
  type ToolInheritance,
} from './merge/inherit-modules.js';
export { mergeConfigs } from './merge/merge-configs.js';
export { mergeToolConfig } from './merge/merge-tool-config.js';
export { applySpawnToolPolicy } from './merge/spawn-tool-policy.js';
export { modelOf as claudeModel } from './other-tools/claude-agent.js';
export { shellHooks } from './other-tools/claude-hooks.js';
export { claudeServers } from './other-tools/claude-servers.js';
export { readMarkdownFile, textOf } from './other-tools/frontmatter.js';
export { membersOf, OPENCODE_CONFIGS, parseOpencodeConfig } from './other-tools/opencode-config.js';
export {
  isProjectOrigin,
  OTHER_TOOLS,
  type OtherTool,
  otherAgentFolders,
} from './other-tools/other-agent-folders.js';
export {
  type AppliedPreferences,
  applyProviderPreferences,
} from './preferences/apply-provider-preferences.js';
export {
  agentPreferences,
  chooseModel,
  type ModelChoice,
  type ModelRequest,
  type ModelSources,
} from './preferences/choose-model.js';
export {
  chooseRootModel,
  type ModelOptions,
  preferredProvider,
  type RootModels,
} from './preferences/choose-root-model.js';
export { isModelPattern, newestModel, resolveModel } from './preferences/match-model.js';
export { matchProvider, type PlannedProvider, plannedProviders } from './preferences/match-provider.js';
export { inheritCatalog, type ModelCatalog, modelCatalog } from './preferences/model-catalog.js';
export { type MountedCandidates, mountCandidates } from './preferences/mount-candidates.js';
export { PREFERENCE_CONFIG_KEYS, promoteProvider } from './preferences/promote-provider.js';
export { ProviderPreference, parseProviderPreferences } from './preferences/provider-preference.js';
export {
  type PreferenceResolution,
  type ResolvedPreference,
  resolvePreferences,
  type UnmetPreference,
} from './preferences/resolve-preferences.js';
export { composeMatrix } from './routing/compose-matrix.js';
export { listMatrices, loadMatrix } from './routing/load-matrix.js';
export { MODEL_ROLES, type ModelRole } from './routing/model-roles.js';
export {
  configuredMatrix,
  DEFAULT_MATRIX,
  planRoles,
  ROUTING_DIR,
  ROUTING_HOOK,
} from './routing/plan-roles.js';
export {
  type ModelRoleResolver,
  matrixRoleResolver,
  type RoleResolution,
  type RoleResolverOptions,
} from './routing/role-resolver.js';
export { routingHook, type SessionRouting } from './routing/routing-hook.js';
export { matrixWarnings, parseMatrix, RoutingMatrix } from './routing/routing-matrix.js';
export { applySettings, moduleConfigs } from './settings/apply-settings.js';
export { expandVariables } from './settings/expand-variables.js';
export { readKeys, writeKey } from './settings/keys-file.js';
export {
  type LoadedSettings,
  loadSettings,
  SETTINGS_SCOPES,
  type SettingsScope,
  settingsFiles,
} from './settings/load-settings.js';
export { mergeSettings } from './settings/merge-settings.js';
export { Settings } from './settings/settings-schema.js';
export { type SettingWrite, writeSetting } from './settings/write-setting.js';
export {
  type FoundModule,
  type ModuleSourceOptions,
  moduleFinder,
  moduleVariable,
  type NamedModule,
} from './sources/module-source-resolver.js';
export type { FetchContext, FetchProgress, SourceFetcher } from './sources/source-fetcher.js';
export {
  type HeldSource,
  type ResolvedSource,
  SourceResolver,
  type SourceResolverOptions,
} from './sources/source-resolver.js';
export { isOnThisMachine, parseSource, type SourceUri } from './sources/source-uri.js';
