/**
 * Where secrets usually lie, below the home folder. Out of reach in every safety mode but `yolo`: a task never needs
 * them, and a prompt hidden in a file is after exactly these.
 */
export const SECRET_PATHS: readonly string[] = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.config/gcloud',
  '.config/gh',
  '.docker/config.json',
  '.kube',
  '.netrc',
  '.npmrc',
  '.pypirc',
  '.git-credentials',
  '.amplifier/keys.env',
];
