//! The codes of diagnostics.

use clank_syntax::SyntaxCode;

macro_rules! codes {
    ($($code:ident $name:ident $summary:literal;)*) => {
        /// What kind of mistake a diagnostic is about.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Code {
            $(
                #[doc = $summary]
                $code,
            )*
        }

        impl Code {
            /// Every code.
            pub const ALL: &'static [Code] = &[$(Code::$code),*];

            /// The code as it is written: `E2001`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Code::$code => stringify!($code),)*
                }
            }

            /// Its name in words: `TypeMismatch`.
            pub fn title(self) -> &'static str {
                match self {
                    $(Code::$code => stringify!($name),)*
                }
            }

            /// What it says, in half a line.
            pub fn summary(self) -> &'static str {
                match self {
                    $(Code::$code => $summary,)*
                }
            }
        }
    };
}

codes! {
    E0001 UnexpectedToken "an unexpected token";
    E0002 UnterminatedString "an unterminated string or comment, or an unknown escape";
    E0003 InvalidNumeric "an invalid number";
    E0004 MismatchedBrackets "an unmatched bracket";
    E0005 ExpectedExpression "an expression is missing";
    E0006 ExpectedType "a type is missing";
    E0007 ExpectedPattern "a pattern is missing";
    E0008 ExpectedDeclaration "something other than a declaration at the top level";
    E0009 RecordLiteralSyntax "a malformed record literal";
    E1001 UnresolvedName "a name that cannot be found";
    E1002 DuplicateDefinition "a name that is defined twice in one place";
    E1003 ImportNotFound "an import of a name that the module does not have";
    E1004 ModuleNotFound "an import of a module that does not exist, or that imports this one";
    E1005 UnresolvedType "a type that cannot be found";
    E1006 VariantNotFound "a variant that the sum does not have";
    E2001 TypeMismatch "a value of the wrong type";
    E2002 ArityMismatch "a call with too few or too many arguments";
    E2003 MissingField "a record without one of its fields";
    E2004 UnknownField "a field that the record does not have";
    E2005 NotCallable "a call of something that is not a function";
    E2006 NotIndexable "an index on something that is not an array";
    E2007 MissingTypeAnnotation "a type that cannot be inferred";
    E2008 RecursiveType "an alias that refers to itself";
    E2009 PatternMismatch "a pattern that cannot match the value";
    E2010 NotIterable "a loop over something that is not an array";
    E2011 NotARecord "a field of something that is not a record";
    E2012 InvalidPropagate "`?` after something that is neither an Option nor a Result";
    E2013 ImmutableAssign "an assignment to something that is not `mut`";
    E2014 OutsideItsPlace "`break` or `continue` outside a loop";
    E2015 NonExhaustiveMatch "a match that does not cover every case";
    E2016 InvalidOperandType "an operand of the wrong type for its operator";
    E2017 TypeParamMismatch "the wrong number of type arguments";
    E2018 InfiniteType "a type that would have to contain itself";
    E3001 UnprovableRefinement "a value that does not satisfy the predicate of its type";
    E3002 PreconditionNotSatisfied "a call that breaks the precondition of the function";
    E3003 PostconditionNotSatisfied "a result that breaks the postcondition of the function";
    E3004 AssertionUnprovable "an assertion that cannot hold";
    E3005 InvalidRefinement "a predicate that is not about its value";
    E4001 EffectNotAllowed "a call with an effect that the function does not declare";
    E4002 UnhandledEffect "`?` in a function that can neither return nor raise the failure";
    E4003 EffectMismatch "a function with effects where a pure one is needed";
    E5001 LinearNotUsed "a linear value that is not used on some path";
    E5002 LinearUsedTwice "a linear or affine value that is used more than once";
    E5003 LinearCaptured "a linear or affine value in a lambda that may run more than once";
    W0001 UnusedVariable "a variable that is never used";
    W0002 UnusedImport "an import that is never used";
    W0003 UnreachableCode "code that is never reached";
    W0004 ShadowedVariable "a variable that shadows another one";
    W0005 DeprecatedFeature "a deprecated feature";
    W0006 DuplicateVariantName "a variant name that two sums have";
    W0007 DroppedValue "a value that is never used";
}

impl Code {
    /// Whether it stops the program from being compiled.
    pub fn is_error(self) -> bool {
        self.name().starts_with('E')
    }

    /// The code with that name.
    pub fn from_name(name: &str) -> Option<Code> {
        Code::ALL.iter().copied().find(|it| it.name() == name)
    }
}

impl From<SyntaxCode> for Code {
    fn from(code: SyntaxCode) -> Code {
        match code {
            SyntaxCode::E0001 => Code::E0001,
            SyntaxCode::E0002 => Code::E0002,
            SyntaxCode::E0003 => Code::E0003,
            SyntaxCode::E0004 => Code::E0004,
            SyntaxCode::E0005 => Code::E0005,
            SyntaxCode::E0006 => Code::E0006,
            SyntaxCode::E0007 => Code::E0007,
            SyntaxCode::E0008 => Code::E0008,
            SyntaxCode::E0009 => Code::E0009,
        }
    }
}
