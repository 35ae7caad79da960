export {
  CONTEXT_DEPTHS,
  CONTEXT_SCOPES,
  HAND_BACKS,
  ISOLATIONS,
  MIN_RESULT,
} from '@amplifier/delegation/choices';
