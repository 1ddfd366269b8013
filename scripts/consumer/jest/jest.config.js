const babel = ['babel-jest', { plugins: ['@babel/plugin-transform-modules-commonjs'] }];

module.exports = {
  projects: [
    { displayName: 'javascript', testMatch: ['**/javascript.spec.js'], transform: {} },
    { displayName: 'babel', testMatch: ['**/babel.spec.js'], transform: { '\\.js$': babel } },
    { displayName: 'ts-jest', testMatch: ['**/typescript.spec.ts'], preset: 'ts-jest' },
    { displayName: 'modules', testMatch: ['**/modules.spec.mjs'], transform: {} },
  ],
};
