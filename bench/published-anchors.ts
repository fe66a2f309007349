/**
 * Published figures of the detector that the field uses for the same task; they are on other data, so only a point of
 * reference.
 */
export const PUBLISHED_ANCHORS: Readonly<Record<string, string>> = {
  'secrets-detector': 'detect-secrets F1 0.206, gitleaks 0.334, CredSweeper 0.859 (CredData)',
  'pii-detector': 'Presidio precision 0.685, recall 0.603; tuned 0.870, 0.839 (presidio-research)',
  'profanity-detector': 'profanity-check F1 0.88',
  'toxicity-detector': 'toxic-bert AUC 0.986 (Jigsaw); word lists F1 0.35 to 0.46',
  'prompt-injection':
    'ProtectAI DeBERTa v2 F1 0.452 (mixed sets); Prompt Guard 2 22M recall 0.887 at 1 % FPR',
  'prompt-perplexity': 'perplexity of GPT-2 finds nearly all GCG suffixes (Alon and Kamfonas 2023)',
}
