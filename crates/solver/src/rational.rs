//! Exact fractions, fast while they are small.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::term::gcd;

/// A fraction in lowest terms with a positive denominator. It is `Small` whenever it fits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Rational {
    Small(i64, i64),
    Big(Box<(BigInt, BigInt)>),
}

use Rational::{Big, Small};

impl Rational {
    pub(crate) const ZERO: Rational = Small(0, 1);
    pub(crate) const ONE: Rational = Small(1, 1);

    pub(crate) fn of_int(value: &BigInt) -> Rational {
        match value.to_i64() {
            Some(value) => Small(value, 1),
            None => Big(Box::new((value.clone(), BigInt::one()))),
        }
    }

    fn of_wide(numerator: i128, denominator: i128) -> Rational {
        // Both come from products of 64 bits: the magnitudes are far below the end of 128.
        let (mut a, mut b) = (numerator.unsigned_abs(), denominator.unsigned_abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let divisor = (a as i128).max(1) * denominator.signum();
        let (numerator, denominator) = (numerator / divisor, denominator / divisor);
        match (i64::try_from(numerator), i64::try_from(denominator)) {
            (Ok(numerator), Ok(denominator)) => Small(numerator, denominator),
            _ => Big(Box::new((numerator.into(), denominator.into()))),
        }
    }

    fn of_big(numerator: BigInt, denominator: BigInt) -> Rational {
        let divisor = gcd(&numerator, &denominator);
        let divisor = if denominator.is_negative() { -divisor } else { divisor };
        let (numerator, denominator) = (numerator / &divisor, denominator / divisor);
        match (numerator.to_i64(), denominator.to_i64()) {
            (Some(numerator), Some(denominator)) => Small(numerator, denominator),
            _ => Big(Box::new((numerator, denominator))),
        }
    }

    pub(crate) fn numerator(&self) -> BigInt {
        match self {
            Small(numerator, _) => BigInt::from(*numerator),
            Big(both) => both.0.clone(),
        }
    }

    pub(crate) fn denominator(&self) -> BigInt {
        match self {
            Small(_, denominator) => BigInt::from(*denominator),
            Big(both) => both.1.clone(),
        }
    }

    pub(crate) fn plus(&self, other: &Rational) -> Rational {
        match (self, other) {
            (Small(a, 1), Small(b, 1)) => match a.checked_add(*b) {
                Some(sum) => Small(sum, 1),
                None => Rational::of_wide(i128::from(*a) + i128::from(*b), 1),
            },
            (Small(a, b), Small(c, d)) => {
                let (a, b, c, d) = (i128::from(*a), i128::from(*b), i128::from(*c), i128::from(*d));
                Rational::of_wide(a * d + c * b, b * d)
            }
            _ => {
                let (b, d) = (self.denominator(), other.denominator());
                Rational::of_big(self.numerator() * &d + other.numerator() * &b, b * d)
            }
        }
    }

    pub(crate) fn minus(&self, other: &Rational) -> Rational {
        self.plus(&other.negated())
    }

    pub(crate) fn times(&self, other: &Rational) -> Rational {
        match (self, other) {
            (Small(a, 1), Small(b, 1)) => match a.checked_mul(*b) {
                Some(product) => Small(product, 1),
                None => Rational::of_wide(i128::from(*a) * i128::from(*b), 1),
            },
            (Small(a, b), Small(c, d)) => {
                Rational::of_wide(i128::from(*a) * i128::from(*c), i128::from(*b) * i128::from(*d))
            }
            _ => Rational::of_big(
                self.numerator() * other.numerator(),
                self.denominator() * other.denominator(),
            ),
        }
    }

    pub(crate) fn negated(&self) -> Rational {
        match self {
            Small(a, b) => match a.checked_neg() {
                Some(a) => Small(a, *b),
                None => Rational::of_wide(-i128::from(*a), i128::from(*b)),
            },
            Big(both) => Rational::of_big(-both.0.clone(), both.1.clone()),
        }
    }

    /// One divided by a number that is not zero; of zero, zero.
    pub(crate) fn inverted(&self) -> Rational {
        match self {
            Small(0, _) => Rational::ZERO,
            Small(a, b) => Rational::of_wide(i128::from(*b), i128::from(*a)),
            Big(both) => Rational::of_big(both.1.clone(), both.0.clone()),
        }
    }

    pub(crate) fn is_zero(&self) -> bool {
        matches!(self, Small(0, _))
    }

    pub(crate) fn is_positive(&self) -> bool {
        match self {
            Small(a, _) => *a > 0,
            Big(both) => both.0.is_positive(),
        }
    }

    pub(crate) fn is_integer(&self) -> bool {
        match self {
            Small(_, b) => *b == 1,
            Big(both) => both.1.is_one(),
        }
    }

    /// The greatest integer that is not greater.
    pub(crate) fn floor(&self) -> Rational {
        match self {
            Small(a, b) => Small(a.div_euclid(*b), 1),
            Big(both) => {
                let quotient = &both.0 / &both.1;
                let too_great = !(&both.0 % &both.1).is_zero() && both.0.is_negative();
                Rational::of_int(&if too_great { quotient - 1 } else { quotient })
            }
        }
    }

    /// About how many steps it takes to compute with it.
    pub(crate) fn size(&self) -> u64 {
        match self {
            Small(..) => 1,
            Big(both) => 64 + both.0.bits() + both.1.bits(),
        }
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Rational) -> Ordering {
        match (self, other) {
            (Small(a, 1), Small(b, 1)) => a.cmp(b),
            (Small(a, b), Small(c, d)) => {
                (i128::from(*a) * i128::from(*d)).cmp(&(i128::from(*c) * i128::from(*b)))
            }
            _ => (self.numerator() * other.denominator())
                .cmp(&(other.numerator() * self.denominator())),
        }
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Rational) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::config;

    fn fraction(numerator: i64, denominator: i64) -> Rational {
        Rational::of_wide(i128::from(numerator), i128::from(denominator))
    }

    /// Numbers around every edge: small, and at the end of 64 bits.
    fn number() -> impl Strategy<Value = i64> {
        prop_oneof![-9..=9_i64, any::<i64>(), Just(i64::MIN), Just(i64::MAX)]
    }

    fn rational() -> impl Strategy<Value = Rational> {
        (number(), number().prop_filter("a denominator", |number| *number != 0))
            .prop_map(|(a, b)| fraction(a, b))
    }

    fn big(value: &Rational) -> (BigInt, BigInt) {
        (value.numerator(), value.denominator())
    }

    proptest! {
        #![proptest_config(config())]

        #[test]
        fn arithmetic_is_that_of_fractions(a in rational(), b in rational()) {
            let ((p, q), (r, s)) = (big(&a), big(&b));
            prop_assert_eq!(a.plus(&b), Rational::of_big(&p * &s + &r * &q, &q * &s));
            prop_assert_eq!(a.minus(&b), Rational::of_big(&p * &s - &r * &q, &q * &s));
            prop_assert_eq!(a.times(&b), Rational::of_big(&p * &r, &q * &s));
            prop_assert_eq!(a.cmp(&b), (&p * &s).cmp(&(&r * &q)));
            prop_assert_eq!(a.plus(&b).minus(&b), a.clone());
            if !b.is_zero() {
                prop_assert_eq!(a.times(&b).times(&b.inverted()), a);
            }
        }

        #[test]
        fn the_floor_is_the_nearest_integer_below(a in rational()) {
            let floor = a.floor();
            prop_assert!(floor.is_integer() && floor <= a && a < floor.plus(&Rational::ONE));
        }
    }
}
