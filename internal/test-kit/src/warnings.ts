import { onTestFinished, vi } from 'vitest';

/** Collects the codes of the process warnings that this test causes, and prevents them from being printed. */
export function collectWarnings(): readonly string[] {
  const codes: string[] = [];
  const emitWarning = vi.spyOn(process, 'emitWarning');
  emitWarning.mockImplementation((warning, options) => {
    codes.push((options as { code?: string } | undefined)?.code ?? `${warning}`);
  });
  onTestFinished(() => emitWarning.mockRestore());
  return codes;
}
