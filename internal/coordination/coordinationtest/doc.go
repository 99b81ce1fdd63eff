// Package coordinationtest holds the suites that every implementation of package coordination runs.
//
//	func TestHot(t *testing.T) {
//		coordinationtest.Hot(t, func(t *testing.T) coordinationtest.Keeper { … })
//	}
package coordinationtest
