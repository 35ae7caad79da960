export {
  CONTEXT_DEPTHS,
  CONTEXT_SCOPES,
  HAND_BACKS,
  ISOLATIONS,
  MEMBER_TEXTS,
  MIN_RESULT,
} from '@amplifier/delegation/choices';
