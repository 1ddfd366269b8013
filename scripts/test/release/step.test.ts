import { expect, it, vi } from 'vitest';
import { runStep } from '../../release/step.mjs';

it('a step reports what a release must know, and does not see its secrets', async () => {
  vi.stubEnv('NPM_TOKEN', 'secret');
  vi.stubEnv('ACTIONS_ID_TOKEN_REQUEST_URL', 'https://localhost');
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const command = `echo "SOME_CODE: [$NPM_TOKEN$ACTIONS_ID_TOKEN_REQUEST_URL]" >&2; exit 3`;
  const { status, reported } = await runStep(command);
  const printed = written.mock.calls.join('');
  written.mockRestore();
  vi.unstubAllEnvs();
  expect({ status, reported }).toEqual({
    status: 3,
    reported: [{ code: 'SOME_CODE', message: '[]' }],
  });
  expect(printed).toBe('SOME_CODE: []\n');
});
